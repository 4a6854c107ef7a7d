import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answer, type Platform } from './answer.ts'
import { makeArmedFaults } from './armed-faults.ts'
import type { RequestEntry } from './control-answers.ts'
import { JournalError, openJournal } from './journal.ts'
import type { SamplePlatformOptions } from './options.ts'
import { makeStore } from './store.ts'

interface Surroundings {
  /** Says a plain sentence to whoever runs the platform. */
  tell(sentence: string): void
  /** Ends the process: what is in memory can no longer be relied on. */
  giveUp(): void
}

/**
 * Listens on 127.0.0.1 with what the storage holds.
 *
 * @returns the address, without a slash at the end
 */
export async function startServer(
  options: Required<SamplePlatformOptions>,
  { tell, giveUp }: Surroundings,
): Promise<string> {
  const { records, append } = openJournal(options.storage, options.eventId)
  const store = makeStore()
  for (const record of records) store.take(record)
  const requests: RequestEntry[] = []
  const platform: Platform = {
    options,
    store,
    requests,
    faults: makeArmedFaults(),
    tell,
    // Disk first: what memory has and an answer tells must outlive a crash.
    commit(record) {
      append(record)
      store.take(record)
    },
  }

  const server = createServer((incoming, response) => {
    respond(platform, requests, incoming, response).catch((error: unknown) => {
      response.destroy()
      if (incoming.errored !== null || response.errored !== null) return
      tell(error instanceof JournalError ? error.message : `a request failed: ${nameOf(error)}`)
      giveUp()
    })
  })
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function respond(
  platform: Platform,
  requests: RequestEntry[],
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url: path = '/' } = incoming
  const index = path.startsWith('/control/') ? -1 : requests.push({ method, path, status: null }) - 1
  const reply = await answer(platform, {
    method,
    url: new URL(`http://127.0.0.1${path.startsWith('/') ? path : '/'}`),
    authorization: incoming.headers.authorization,
    idempotencyKeys: incoming.headersDistinct['idempotency-key'] ?? [],
    body: await readBody(incoming, platform.options.maxBodyBytes),
  })
  if ('cut' in reply) {
    if (reply.cut === 'crash') process.kill(process.pid, 'SIGKILL')
    if (reply.cut === 'destroy') response.destroy()
    return
  }
  if (index >= 0) requests[index] = { method, path, status: reply.status }
  response.writeHead(reply.status, { 'Content-Type': 'application/json; charset=utf-8', ...reply.headers })
  response.end(JSON.stringify(reply.body))
}

/** A body that is too long is read to its end all the same: a sender that still writes would miss the answer. */
async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= maxBytes) chunks.push(chunk)
    else chunks.length = 0
  }
  return bytes > maxBytes ? null : Buffer.concat(chunks)
}

/** Not its message, which may quote what was sent. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
