/**
 * Reads one answer through the proxy that the environment variables name. Usage: `node send-once.ts URL`.
 * `process.exit` is not called, so that the test notices a connection that keeps the process alive.
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
