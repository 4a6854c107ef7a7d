/**
 * Reads one answer through the proxy of the environment variables: `node send-once.ts URL`. It does not call
 * `process.exit`, so that a connection that blocks the end of a process would show.
 */
import { makeConnections } from '../../../pipeline/http/connections.ts'
import { send } from '../../../pipeline/http/http.ts'
import { chooseProxies } from '../../../pipeline/http/proxy.ts'

const { env } = process
const proxyOf = chooseProxies(undefined, { env, readFile: () => '', configFolder: '/' })
const limits = {
  timeoutMs: 60_000,
  maxResponseMs: 60_000,
  maxResponseBytes: 1_000_000,
  connections: makeConnections(60_000, null, proxyOf),
}
const url = new URL(process.argv[2] ?? '')
const headers = { Authorization: 'Bearer canary-token' }
const answer = await send({ url, headers, addressKey: 'source.url' }, limits)
for await (const chunk of answer.body) process.stdout.write(chunk)
