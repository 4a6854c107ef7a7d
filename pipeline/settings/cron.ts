import { createRequire } from 'node:module'
import { findZone, instantsOf, type Zone } from '../../transforms/rules/zones.ts'
import { messageOf } from '../runtime/message-of.ts'

/**
 * Pattern of one field in a cron expression, which can contain only numbers and English names. The cron
 * parser also accepts `H`, which would mean another time in each call.
 */
const field = '(?:[0-9*/,-]|[A-Za-z]{3})+'
/**
 * Pattern of a cron expression with exactly five fields. If there were a sixth field, one field would mean
 * seconds, which schedules do not support.
 */
export const cronPattern = `^${Array.from({ length: 5 }, () => field).join(' +')}$`

export interface Recurrence {
  readonly cron: string
  readonly timeZone: string
}

/**
 * Loads the cron parser when the first schedule is read. Loading the parser takes a tenth of the start time
 * of a command.
 */
function cronParser(): typeof import('cron-parser').CronExpressionParser {
  return createRequire(import.meta.url)('cron-parser').CronExpressionParser
}

/** Times of a cron expression on the clock, in no time zone. */
interface ClockTimes {
  /** Returns true if the expression has times on a day, given as the milliseconds of its midnight in UTC. */
  hasDay(dayMs: number): boolean
  /** Times of each such day, in milliseconds since midnight, sorted. */
  readonly timesOfDay: readonly number[]
  readonly isEveryHour: boolean
}

const known = new Map<string, ClockTimes>()

/** Parses a cron expression. The result is cached, because many integrations have the same expression. */
function clockTimesOf(cron: string): ClockTimes {
  const times = known.get(cron) ?? parse(cron)
  known.set(cron, times)
  return times
}

/**
 * Only the fields are taken from the cron parser. Its own times are wrong, or take ten thousand steps and an
 * error, if clocks are changed by less than an hour (Australia/Lord_Howe).
 */
function parse(cron: string): ClockTimes {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = cronParser().parse(cron).fields
  const [dates, months, weekdays] = [
    new Set<unknown>(dayOfMonth.values),
    new Set<unknown>(month.values),
    new Set<unknown>(dayOfWeek.values),
  ]
  const hasDay = (dayMs: number) => {
    const day = new Date(dayMs)
    if (!months.has(day.getUTCMonth() + 1)) return false
    const [isDate, isWeekday] = [dates.has(day.getUTCDate()), weekdays.has(day.getUTCDay())]
    // If both fields are restricted, one of them is enough.
    return dayOfMonth.isWildcard || dayOfWeek.isWildcard ? isDate && isWeekday : isDate || isWeekday
  }
  const timesOfDay = hour.values.flatMap((hours) =>
    minute.values.map((minutes) => (hours * 60 + minutes) * 60_000),
  )
  return { hasDay, timesOfDay, isEveryHour: hour.values.length === 24 }
}

const cronFaults = new Map<string, string | undefined>()

/**
 * Returns why a text is not a valid cron expression, or why it has no time in the future. Returns undefined
 * if it is valid. The result is cached, because many integrations have the same cron expression.
 */
export function cronFault(cron: string): string | undefined {
  if (!cronFaults.has(cron)) cronFaults.set(cron, findCronFault(cron))
  return cronFaults.get(cron)
}

function findCronFault(cron: string): string | undefined {
  // If the parser cannot be loaded, the text is not at fault.
  cronParser()
  try {
    timesAfter({ cron, timeZone: 'UTC' }, 0, 1)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

const DAY_MS = 86_400_000
/** Days from 29 February 2096 to 29 February 2104, the longest time between two such days. */
const MOST_DAYS = 2921

/**
 * Returns the next times of a cron expression after `fromMs`; `fromMs` itself is not included. If the clocks
 * are set forward, a time that does not exist moves by as much: 02:30 becomes 03:30. If the clocks are set
 * back, a time that occurs twice means its first occurrence, but both occurrences if the expression has times
 * in every hour.
 */
export function timesAfter({ cron, timeZone }: Recurrence, fromMs: number, count: number): readonly number[] {
  const times = clockTimesOf(cron)
  const zone = findZone(timeZone)
  if (zone === null) throw new Error(`"${timeZone}" is not a time zone`)
  const found: number[] = []
  const wallMs = fromMs + zone.offsetMsAt(fromMs)
  // A time of the day before can move to the day of `fromMs`.
  let dayMs = wallMs - (wallMs % DAY_MS) - DAY_MS
  let lastMs = dayMs + MOST_DAYS * DAY_MS
  while (found.length < count) {
    if (dayMs > lastMs) throw new Error('it never becomes due')
    if (times.hasDay(dayMs)) {
      const last = found.at(-1) ?? fromMs
      found.push(...instantsOfDay(times, dayMs, zone).filter((timeMs) => timeMs > last))
      lastMs = dayMs + MOST_DAYS * DAY_MS
    }
    dayMs += DAY_MS
  }
  return found.slice(0, count)
}

/** Returns the instants at which the clocks of a zone show the times of a day, sorted. */
function instantsOfDay(
  { timesOfDay, isEveryHour }: ClockTimes,
  dayMs: number,
  zone: Zone,
): readonly number[] {
  const offsetMs = zone.offsetMsAt(dayMs - DAY_MS)
  const isChanged = zone.offsetMsAt(dayMs + 2 * DAY_MS) !== offsetMs
  if (!isChanged) return timesOfDay.map((time) => dayMs + time - offsetMs)
  const instants = timesOfDay.flatMap((time) => {
    const { all } = instantsOf(dayMs + time, zone)
    return isEveryHour ? all : all[0]
  })
  return [...new Set(instants)].sort((one, other) => one - other)
}
