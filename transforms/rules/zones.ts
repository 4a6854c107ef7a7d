const DAY_MS = 86_400_000

// ICU also takes names of old Java and System V that IANA does not have; to it, BST is the time of Dhaka.
const OF_ICU_ONLY =
  /^(?:ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i

const NAME = /^[a-z][a-z0-9._+/-]*$/i

/** Formatters by zone name in lower case, known zones only; building one takes a thousand times its use. */
const formatters = new Map<string, Intl.DateTimeFormat>()

/** Whether a name is an IANA time zone or link that `Intl` knows, in any case: `US/Eastern`, `UTC`, but not `+02:00`. */
export function isTimeZone(name: string): boolean {
  return formatterOf(name) !== null
}

/**
 * Finds the instants at which the clocks of a zone show a time.
 *
 * @param wallMs the time shown, in milliseconds since 1970 as if it were UTC; whole seconds
 * @returns milliseconds since 1970 in UTC, earlier first: none where a clock change skips the time or the
 * zone is unknown, two where it occurs twice
 */
export function instantsOf(wallMs: number, timeZone: string): readonly number[] {
  const formatter = formatterOf(timeZone)
  if (formatter === null) return []
  // No zone is a day or more off UTC, and none has ever changed its clocks twice within two days. A time that
  // occurs twice had the larger offset first, so the earlier instant comes first too.
  const offsets = new Set([offsetMsAt(formatter, wallMs - DAY_MS), offsetMsAt(formatter, wallMs + DAY_MS)])
  return [...offsets]
    .map((offsetMs) => wallMs - offsetMs)
    .filter((instant) => instant + offsetMsAt(formatter, instant) === wallMs)
}

/**
 * Finds what the clocks of a zone show at an instant.
 *
 * @param instant milliseconds since 1970 in UTC
 * @returns milliseconds since 1970 as if the time shown were UTC; null where the zone is unknown
 */
export function wallMsAt(instant: number, timeZone: string): number | null {
  const formatter = formatterOf(timeZone)
  return formatter === null ? null : instant + offsetMsAt(formatter, instant)
}

function formatterOf(name: string): Intl.DateTimeFormat | null {
  if (!NAME.test(name) || OF_ICU_ONLY.test(name)) return null
  const key = name.toLowerCase()
  const known = formatters.get(key)
  if (known !== undefined) return known
  try {
    const formatter = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
    formatters.set(key, formatter)
    return formatter
  } catch {
    return null
  }
}

// The formatter prints `11/7/2010, GMT-05:00`, `GMT-04:56:02` before standard time, and for UTC, in some
// versions, `GMT` alone.
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/

function offsetMsAt(formatter: Intl.DateTimeFormat, instant: number): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(formatter.format(instant)) ?? []
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -size : size
}
