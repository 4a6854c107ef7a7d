import { readClock } from './times.ts'
import { type Json, readText } from './values.ts'

/**
 * Returns true if the value of `cancelled_at` says that a registrant is cancelled.
 *
 * @returns false for null, a blank text, JSON `false` and a zero date; true for anything else:
 * transforms/RULES.md#r67
 */
export function isCancelled(value: Json | undefined): boolean {
  if (value === false) return false
  const text = readText(value)
  if (text.value === null) return text.warning === 'not_text'
  return !isZeroDate(text.value)
}

/** Matches a text whose only digits are zeros, such as `0`, `0.0`, `0000-00-00` and `00/00/0000 00:00:00`. */
const ONLY_ZEROS = /^[T\s.:/+-]*0[0TZ\s.:/+-]*$/

/**
 * Matches the dates that MySQL, PHP, .NET and Go print if no date was set. The printed time, and sometimes
 * the printed day, depends on the server's time zone. PHP prints the year -1 with up to six digits.
 */
const UNSET = /^(?:0000-00-00|-0{0,5}1-11-(?:29|30)|0001-01-01|0000-(?:12-31|01-01)|0?1\/0?1\/0001)(?!\d)/

/** Matches unset dates as numbers of seconds or milliseconds since 1970, in the way of .NET and Go. */
const UNSET_NUMBER = /^(?:-62135596800(?:000)?|\/Date\((?:0|-62135596800000)(?:[+-]\d{4})?\)\/)$/

const EPOCH = /^19(?:69-12-31|70-01-01)(?!\d)/
/** Matches 1 January 1970 at midnight or without a time, in the date formats of several countries. */
const EPOCH_AT_MIDNIGHT =
  /^(?:1970[/.]0?1[/.]0?1|0?1[/.-]0?1[/.-]1970)(?:[T ](?:0?0:00(?::00(?:\.0+)?)?|12:00(?::00)? AM))?$/i
const HOUR_MS = 3_600_000

function isZeroDate(text: string): boolean {
  if ([ONLY_ZEROS, UNSET, UNSET_NUMBER, EPOCH_AT_MIDNIGHT].some((form) => form.test(text))) return true
  if (!EPOCH.test(text)) return false
  if (text.length === '1970-01-01'.length) return true
  // PostgreSQL prints an offset of whole hours without minutes, so the minutes are added here.
  const hasMinutes = text.replace(/(:\d\d(?:\.\d+)?[+-]\d\d)$/, '$1:00')
  const clock = readClock(hasMinutes.replace(/ ?(?:UTC|GMT)$/, 'Z').replace(/ (?=[+-])/, ''))
  if (clock === null) return false
  if (clock.offsetMs !== null) return clock.wallMs === clock.offsetMs
  // At the epoch (1970-01-01T00:00Z), the local times of all zones were between these two limits.
  return clock.wallMs >= -12 * HOUR_MS && clock.wallMs <= 14 * HOUR_MS
}
