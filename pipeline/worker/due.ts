import { createHash } from 'node:crypto'
import type { IntegrationConfig } from '../config/config.ts'
import { timesAfter } from '../settings/cron.ts'

export type Schedule = NonNullable<IntegrationConfig['schedule']>

/** Times among which the shortest interval is looked for. */
const LOOKED_AT = 30

/**
 * Seconds after the times of its cron expression at which an integration is due: always the same, so that integrations
 * that share an expression do not run all at once. At most half the time between two runs.
 */
export function offsetSeconds(integrationId: string, schedule: Schedule): number {
  // Times of 1970, so that the result does not depend on now.
  const times = timesAfter(schedule, 0, LOOKED_AT)
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  const mostSeconds = Math.min(schedule.jitterSeconds, Math.floor(Math.min(...gaps) / 2000))
  const hash = createHash('sha256').update(integrationId).digest().readUInt32BE(0)
  return Math.floor((hash / 2 ** 32) * (mostSeconds + 1))
}

/** When an integration is due next, in milliseconds since 1970. */
export function nextDue(schedule: Schedule, offset: number, nowMs: number): number {
  const [time = nowMs] = timesAfter(schedule, nowMs - offset * 1000, 1)
  return time + offset * 1000
}

/** A moment on the clock of a zone, such as `2031-05-04 09:00:13`. */
export function onTheClock(timeMs: number, timeZone: string): string {
  const options = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const
  return new Intl.DateTimeFormat('sv-SE', options).format(timeMs)
}
