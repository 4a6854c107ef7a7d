/** Reads one answer and has nothing more to do: `node send-once.ts URL`. */
import { makeConnections } from '../../../pipeline/http/connections.ts'
import { send } from '../../../pipeline/http/http.ts'

const limits = {
  timeoutMs: 60_000,
  maxResponseMs: 60_000,
  maxResponseBytes: 1_000_000,
  connections: makeConnections(60_000),
}
const answer = await send({ url: new URL(process.argv[2] ?? ''), addressKey: 'source.url' }, limits)
for await (const chunk of answer.body) process.stdout.write(chunk)
