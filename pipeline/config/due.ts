import { createHash } from 'node:crypto'
import { timesAfter } from '../settings/cron.ts'
import type { IntegrationConfig } from './config.ts'

export type Schedule = NonNullable<IntegrationConfig['schedule']>

/** Number of times from which the shortest interval of a schedule is computed. */
const LOOKED_AT = 30

/**
 * Returns by how many seconds runs of an integration start later than its cron expression says. The offset of
 * an integration is always the same. The offset spreads integrations with the same cron expression. The
 * offset is at most half the time between two runs.
 */
export function offsetSeconds(integrationId: string, schedule: Schedule): number {
  const mostSeconds = Math.min(schedule.jitterSeconds, Math.floor(shortestGapMs(schedule) / 2000))
  const hash = createHash('sha256').update(integrationId).digest().readUInt32BE(0)
  return Math.floor((hash / 2 ** 32) * (mostSeconds + 1))
}

const shortestGaps = new Map<string, number>()

/**
 * Returns the shortest time between two runs of a schedule. The result is cached for each schedule. The
 * computation takes milliseconds, and the status page needs the result for every integration after each run.
 */
function shortestGapMs({ cron, timeZone }: Schedule): number {
  const key = `${cron} ${timeZone}`
  const known = shortestGaps.get(key)
  if (known !== undefined) return known
  // Times in 1970 make the result independent of the current time.
  const times = timesAfter({ cron, timeZone }, 0, LOOKED_AT)
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  const shortest = Math.min(...gaps)
  shortestGaps.set(key, shortest)
  return shortest
}

/** Returns when an integration is due next, in milliseconds since 1970. */
export function nextDue(schedule: Schedule, offset: number, nowMs: number): number {
  const offsetMs = offset * 1000
  const [timeMs = nowMs] = timesAfter(schedule, nowMs - offsetMs, 1)
  return timeMs + offsetMs
}

/** Returns when an integration is due next, by its schedule; null without a schedule. */
export function dueAfter({ id, schedule }: IntegrationConfig, nowMs: number): number | null {
  return schedule === undefined ? null : nextDue(schedule, offsetSeconds(id, schedule), nowMs)
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/**
 * Returns a point in time as local time in a time zone, for example `2031-05-04 09:00:13`. The format of each
 * time zone is cached, because making it takes longer than using it.
 */
export function onTheClock(timeMs: number, timeZone: string): string {
  const known = clocks.get(timeZone)
  const clock =
    known ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  clocks.set(timeZone, clock)
  return clock.format(timeMs)
}
