/** A run id. It is a UUIDv7, so that ids sort by the start of the runs. */
export type RunId = string

/**
 * Makes a run id that sorts after the last run of the integration, even if the clock was set back.
 *
 * @param random 10 random bytes
 * Source: RFC 9562, section 5.7.
 */
export function makeRunId(nowMs: number, random: Uint8Array, last: RunId | null): RunId {
  const lastMs = last === null ? -1 : millisecondsOf(last)
  const time = Math.max(nowMs, lastMs + 1)
    .toString(16)
    .padStart(12, '0')
  const [first = 0, second = 0, third = 0, ...rest] = random
  const tail = Buffer.from([0x70 | (first & 0x0f), second, 0x80 | (third & 0x3f), ...rest]).toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-${tail.slice(0, 4)}-${tail.slice(4, 8)}-${tail.slice(8)}`
}

/** Returns the start of a run from its id, in UTC. */
export function beginningOf(id: RunId): string {
  return new Date(millisecondsOf(id)).toISOString()
}

function millisecondsOf(id: RunId): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16)
}

export function isRunId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text)
}
