import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from './reply.ts'

/** Shorter than the time-out; fifty bytes take longer than an answer may take in all. */
const DRIP_MS = 100

/**
 * Sends an answer as it is to go over the wire.
 *
 * @param goAway closes the door behind everybody
 */
export async function deliver(response: ServerResponse, reply: Reply, goAway: () => void): Promise<void> {
  const { status, body, delivery } = reply
  const headers = { ...reply.headers, 'Content-Length': String(body.length) }
  const half = body.subarray(0, Math.ceil(body.length / 2))
  response.on('error', () => undefined)
  switch (delivery) {
    case 'whole':
      response.writeHead(status, status === 204 ? {} : headers)
      response.end(status === 204 ? undefined : body)
      return
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'reset in the body':
      response.writeHead(status, headers)
      response.write(half, () => response.socket?.destroy())
      return
    case 'reset in chunks':
      response.writeHead(status, reply.headers)
      response.write(half, () => response.socket?.destroy())
      return
    case 'no headers':
      return
    case 'gap':
      response.writeHead(status, headers)
      response.write(half)
      return
    case 'drip':
      response.writeHead(status, headers)
      for (const byte of body) {
        if (response.destroyed || response.socket?.destroyed !== false) return
        response.write(Buffer.of(byte))
        await sleep(DRIP_MS)
      }
      response.end()
      return
    case 'gone':
      goAway()
  }
}
