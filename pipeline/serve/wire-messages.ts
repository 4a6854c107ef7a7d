/** The messages of the protocol of PostgreSQL, version 3. A message has a type, its length and its body. */

/** A message of a client. The first message of a connection has no type. */
export interface ClientMessage {
  readonly type: string
  /** The whole message, as the engine reads it. */
  readonly bytes: Buffer
  readonly body: Buffer
}

/** Thrown if a client does not follow the protocol. The connection cannot continue. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

/** Longest message of a client: a query with its values. */
const LONGEST = 16 * 1024 * 1024
/** Longest message of a client that has not proved yet that it has the password. */
const LONGEST_UNKNOWN = 10_000

/** Collects the bytes of a connection, and returns its complete messages. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
  }

  /**
   * Returns the next message; null if it is not complete yet.
   *
   * @param isTyped false for the first message, which has no type
   */
  next(isTyped: boolean, isKnown: boolean): ClientMessage | null {
    const start = isTyped ? 1 : 0
    if (this.#rest.length < start + 4) return null
    const length = this.#rest.readInt32BE(start)
    if (length < 4 || length > (isKnown ? LONGEST : LONGEST_UNKNOWN))
      throw new ProtocolError(`a message of ${length} bytes is not accepted`)
    const end = start + length
    if (this.#rest.length < end) return null
    const bytes = this.#rest.subarray(0, end)
    this.#rest = this.#rest.subarray(end)
    return { type: isTyped ? bytes.toString('latin1', 0, 1) : '', bytes, body: bytes.subarray(start + 4) }
  }
}

/** Writes a message. A text becomes a text with a zero byte at its end. */
export function message(type: string, ...parts: readonly (string | number | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map(toBytes))
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

function toBytes(part: string | number | Buffer): Buffer {
  if (typeof part === 'string') return Buffer.from(`${part}\0`)
  if (typeof part !== 'number') return part
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(part)
  return bytes
}

/** Writes an error after which the connection is closed. @param code SQLSTATE */
export function fatal(code: string, text: string): Buffer {
  return message('E', 'SFATAL', 'VFATAL', `C${code}`, `M${text}`, Buffer.of(0))
}

/** Returns the texts of a message's body, each of which ends with a zero byte. */
export function textsIn(body: Buffer): readonly string[] {
  return body.toString('utf8').split('\0')
}

/** Finds the first value of the first row, or the error, in an answer of the engine. */
export function firstValueIn(answer: Buffer): {
  readonly value: string | null
  readonly error: Buffer | null
} {
  let value: string | null = null
  let error: Buffer | null = null
  for (let at = 0; at < answer.length; ) {
    const type = answer.toString('latin1', at, at + 1)
    const end = at + 1 + answer.readInt32BE(at + 1)
    if (type === 'E') error ??= answer.subarray(at, end)
    if (type === 'D')
      value ??= answer.toString('utf8', at + 11, at + 11 + Math.max(0, answer.readInt32BE(at + 7)))
    at = end
  }
  return { value, error }
}
