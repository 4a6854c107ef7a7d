import { CronExpressionParser } from 'cron-parser'

/** Numbers and English names only: the parser's `H` would mean another time at every look. */
const field = '(?:[0-9*/,-]|[A-Za-z]{3})+'
/** Five fields; a sixth would be seconds, which no clock here looks at. */
export const cronPattern = `^${Array.from({ length: 5 }, () => field).join(' +')}$`

export interface Recurrence {
  readonly cron: string
  readonly timeZone: string
}

/** Why it is no cron expression, or never comes due; undefined for a good one. */
export function cronFault(cron: string): string | undefined {
  try {
    timesAfter({ cron, timeZone: 'UTC' }, 0, 1)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * The next times that a recurrence comes due, strictly after a moment. Where clocks are put forward, a time that does
 * not exist is the moment after the gap; where they are put back, a time that exists twice is the first.
 */
export function timesAfter({ cron, timeZone }: Recurrence, fromMs: number, count: number): readonly number[] {
  const times = CronExpressionParser.parse(cron, { tz: timeZone, currentDate: new Date(fromMs) })
  return Array.from({ length: count }, () => times.next().getTime())
}
