import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** How an answer is sent over the wire. */
export type Delivery =
  | 'whole'
  /** The connection is reset before any byte is sent. */
  | 'reset'
  /** The connection is reset after half of the body; `Content-Length` announces the whole body. */
  | 'reset in the body'
  /** The connection is reset after half of a chunked body. */
  | 'reset in chunks'
  /** No answer comes, and the connection stays open. */
  | 'no headers'
  /** Half of the body comes, then nothing more. */
  | 'gap'
  /** The body comes one byte at a time. */
  | 'drip'
  /** The server stops listening. */
  | 'gone'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly delivery: Delivery
}

export function textReply(text: string, status = 200): Reply {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' }
  return { status, headers, body: Buffer.from(text), delivery: 'whole' }
}

export function jsonReply(value: unknown, status = 200): Reply {
  return textReply(JSON.stringify(value), status)
}

/**
 * Pause between bytes: shorter than the reader's timeout between bytes. But an answer of fifty bytes takes
 * longer than the timeout for a whole answer.
 */
const DRIP_MS = 100

/**
 * Sends an answer over the wire.
 *
 * @param goAway a function that stops the server
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
    case 'reset in chunks':
      response.writeHead(status, delivery === 'reset in chunks' ? reply.headers : headers)
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
