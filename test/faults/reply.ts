import type { SourceType } from './event.ts'

/** How an answer goes over the wire. */
export type Delivery =
  | 'whole'
  /** The connection is reset, and not a byte comes. */
  | 'reset'
  /** It is reset after half of the body, which was announced whole. */
  | 'reset in the body'
  /** The same, of a body in chunks. */
  | 'reset in chunks'
  /** Nothing comes, and the connection stays. */
  | 'no headers'
  /** Half of the body comes, and then nothing. */
  | 'gap'
  /** A byte at a time comes. */
  | 'drip'
  /** Nobody listens any more. */
  | 'gone'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly delivery: Delivery
}

/** The request that a fault is played on. */
export interface Asked {
  readonly type: SourceType
  readonly resource: string
  readonly url: URL
  /** Place of the page in an undisturbed read, from 1. */
  readonly page: number
  /** Elements that the source gives at most. */
  readonly cap: number
  /** All records of the resource, as JSON text. */
  readonly list: readonly string[]
  /** How often the fault has been played before. */
  readonly plays: number
  /** Address of another host, which nobody may ask. */
  readonly outside: string
  /** The clock of the run. */
  readonly nowMs: number
}

export function jsonReply(value: unknown, status = 200): Reply {
  return textReply(JSON.stringify(value), status)
}

export function textReply(text: string, status = 200): Reply {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' }
  return { status, headers, body: Buffer.from(text), delivery: 'whole' }
}

/** Where a page of Source A begins; of Source B its number. */
export function placeOf({ type, url }: Pick<Asked, 'type' | 'url'>): number {
  return Number(url.searchParams.get(type === 'a' ? '$skip' : 'page'))
}
