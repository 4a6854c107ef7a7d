/** The id of a run. The run id is a UUIDv7, so run ids sort by the start times of the runs. */
export type RunId = string

/**
 * Makes a run id that sorts after the id of the integration's last run, even if the clock was set back. The
 * format is that of RFC 9562, section 5.7.
 *
 * @param random 10 random bytes
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

/** Returns the start time of a run, which its id contains, in UTC. */
export function beginningOf(id: RunId): string {
  return new Date(millisecondsOf(id)).toISOString()
}

function millisecondsOf(id: RunId): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16)
}

export function isRunId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text)
}
