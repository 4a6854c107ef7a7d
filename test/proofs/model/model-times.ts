import { isObject, type Json } from '../../harness/json.ts'
import { keyInAnyCase } from './model-read.ts'
import { type Fault, readText } from './model-text.ts'

export type TimeFault = Fault | 'unknown_zone'

/** A time that was read from a record, or the reason why the time could not be read. */
export type ReadTime =
  | { readonly state: 'missing' | 'bad'; readonly faults: readonly TimeFault[] }
  | {
      readonly state: 'read'
      readonly instantMs: number
      /** The later instant if clocks show this local time twice; otherwise null. */
      readonly laterMs: number | null
      /** Seconds since the beginning of the gap, if a clock change skips this local time; otherwise null. */
      readonly gapSeconds: number | null
      readonly faults: readonly TimeFault[]
    }

const FORM = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:(Z)|([+-])(\d\d):?(\d\d))?$/
const HAS_OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/
const MINUTE_MS = 60_000

/**
 * Reads a time of Source A: a text, or an object with the keys EventTime and UTC. Source:
 * transforms/RULES.md#r66.
 */
export function readTimeOfA(value: Json | undefined, zone: string | undefined): ReadTime {
  if (!isObject(value)) {
    const { text, faults } = readText(value)
    return readTimeText(text, zone, faults)
  }
  const eventTime = readText(keyInAnyCase(value, 'EventTime'))
  const utc = readText(keyInAnyCase(value, 'UTC'))
  const faults = [...eventTime.faults, ...utc.faults]
  if (eventTime.text !== null && HAS_OFFSET.test(eventTime.text))
    return readTimeText(eventTime.text, zone, faults)
  if (utc.text !== null) return readTimeText(utc.text, 'UTC', faults)
  return readTimeText(eventTime.text, zone, faults)
}

/** Reads a text as a time. If the text has no UTC offset, the time is in the zone `zone`. */
export function readTimeText(
  text: string | null,
  zone: string | undefined,
  faults: readonly TimeFault[],
): ReadTime {
  if (text === null) return { state: 'missing', faults }
  const wall = readWall(text)
  if (wall === null) return { state: 'bad', faults }
  if (wall.offsetMs !== null)
    return { state: 'read', instantMs: wall.wallMs - wall.offsetMs, laterMs: null, gapSeconds: null, faults }
  if (zone === undefined) return { state: 'bad', faults }
  const [instantMs, laterMs = null] = instantsOf(wall.wallMs, zone)
  if (instantMs !== undefined) return { state: 'read', instantMs, laterMs, gapSeconds: null, faults }
  return { state: 'read', ...inGap(wall.wallMs, zone), laterMs: null, faults }
}

export interface Wall {
  /** The local time in milliseconds, computed as if it were UTC. */
  readonly wallMs: number
  readonly offsetMs: number | null
}

/** Parses a text in the only accepted form of a time; null for any other text. */
export function readWall(text: string): Wall | null {
  const match = FORM.exec(text)
  if (match === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0))
  // `Date.UTC` is not used, because it takes the years 0 to 99 for years of the 20th century.
  const wallMs = new Date(new Date(0).setUTCFullYear(year, month - 1, day)).setUTCHours(hour, minute, second)
  // `Date` silently changes a day or minute that does not exist into another one, so the parts are compared
  // again.
  const back = new Date(wallMs).toISOString()
  const two = (number: number) => String(number).padStart(2, '0')
  const given = `${match[1]}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}.000Z`
  if (back !== given) return null
  const [, , , , , , , z, sign, hours, minutes] = match
  if (z !== undefined) return { wallMs, offsetMs: 0 }
  if (sign === undefined) return { wallMs, offsetMs: null }
  if (Number(hours) > 23 || Number(minutes) > 59) return null
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS
  return { wallMs, offsetMs: sign === '-' ? -offset : offset }
}

const HOUR_MS = 60 * MINUTE_MS

/** Returns the instants at which clocks of a zone show this time: none, one or two, the earliest first. */
function instantsOf(wallMs: number, zone: string): readonly number[] {
  // The UTC offsets of the zone around that time. The hours cover the largest possible offset, so that no
  // clock change near that time is missed.
  const offsets = [-30, -12, 0, 12, 30].map((hours) => offsetAt(wallMs + hours * HOUR_MS, zone))
  const candidates = [...new Set(offsets)].map((offset) => wallMs - offset)
  return candidates.filter((instant) => instant + offsetAt(instant, zone) === wallMs).sort((a, b) => a - b)
}

/**
 * Reads a local time that clocks skip. The result is the instant at which clocks would show this time if they
 * had not changed. Source: transforms/RULES.md#r40.
 */
function inGap(wallMs: number, zone: string): { readonly instantMs: number; readonly gapSeconds: number } {
  let lastMs = wallMs
  // Goes back in steps to a time that clocks show, then forward in seconds to the last such time.
  do lastMs -= 15 * MINUTE_MS
  while (instantsOf(lastMs, zone).length === 0)
  while (instantsOf(lastMs + 1000, zone).length > 0) lastMs += 1000
  const before = instantsOf(lastMs, zone).at(-1) ?? Number.NaN
  return { instantMs: before + wallMs - lastMs, gapSeconds: (wallMs - lastMs) / 1000 - 1 }
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, made)
  return made
}

/** Returns how far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
function offsetAt(instantMs: number, zone: string): number {
  if (zone in FIXED) return (FIXED[zone] ?? 0) * HOUR_MS
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instantMs)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
  // `Date.UTC` is not used, because it takes the years 0 to 99 for years of the 20th century.
  const wall = new Date(new Date(0).setUTCFullYear(year, month - 1, day))
  return wall.setUTCHours(hour, minute, second) - instantMs
}

// The three-letter names in IANA's time zone database. `Intl` also accepts names that IANA does not have,
// such as PST or IST.
const SHORT_NAMES = 'EST MST HST CET EET MET WET GMT UTC UCT PRC ROC ROK'.split(' ')

/** UTC offsets in hours of the abbreviations for time zones in RFC 5322. */
const FIXED: Readonly<Record<string, number>> = {
  EDT: -4,
  CDT: -5,
  CST: -6,
  MDT: -6,
  PDT: -7,
  PST: -8,
  UT: 0,
  Z: 0,
}

/** Names of time zones that Windows and Rails use; only the names that occur in these tests. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'eastern standard time': 'America/New_York',
  'w. europe standard time': 'Europe/Berlin',
  'newfoundland standard time': 'America/St_Johns',
  'eastern time (us & canada)': 'America/New_York',
  berlin: 'Europe/Berlin',
  'new delhi': 'Asia/Kolkata',
}

/**
 * Returns the time zone whose name the text is, in the form that `offsetAt` accepts; null if there is no such
 * zone. Source: transforms/RULES.md#r66.
 */
export function zoneNamed(text: string): string | null {
  if (isIana(text)) return text
  if (text.toUpperCase() in FIXED) return text.toUpperCase()
  const prefixless = text
    .toUpperCase()
    .replace(/^(UTC|UT|GMT)/, '')
    .trimStart()
  const [, sign, hours, , minutes = '00'] = /^([+-])(\d\d?)(:?(\d\d))?$/.exec(prefixless) ?? []
  if (sign === undefined) return OTHER_NAMES[text.toLowerCase().replace(/^\(gmt[^)]*\) /, '')] ?? null
  const isJoined = prefixless.length === 4 && !prefixless.includes(':')
  if (isJoined || Number(minutes) > 59 || Number(hours) * 60 + Number(minutes) > 14 * 60) return null
  return `${sign}${String(hours).padStart(2, '0')}:${minutes}`
}

/**
 * Returns true for an IANA name of a time zone or for an alias, in upper or lower case. A UTC offset is not a
 * name.
 */
function isIana(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  if (name.length === 3 && !SHORT_NAMES.includes(name.toUpperCase())) return false
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Formats an instant as text in the form that the platform expects. */
export function formatInstant(instantMs: number): string {
  return `${new Date(instantMs).toISOString().slice(0, 19)}Z`
}

/**
 * Returns an instant as the clocks of a zone show it, in the form of `agenda.csv`. Returns an empty text if
 * the local time is not in the years 1 to 9999. Source: loaders/verify/README.md#csv-files.
 */
export function localText(instant: string, zone: string): string {
  const instantMs = Date.parse(instant)
  const offsetMs = offsetAt(instantMs, zone)
  const wallMs = instantMs + offsetMs
  // Before the year 1, the formatter counts the years backwards, so the offset would be years.
  const isOutside = Math.abs(offsetMs) > 24 * HOUR_MS || wallMs >= Date.parse('+010000-01-01T00:00:00Z')
  return isOutside ? '' : new Date(wallMs).toISOString().slice(0, 19)
}

/** Returns the name of a zone as `agenda.csv` has it: an abbreviation is written as its offset. */
export function zoneText(zone: string): string {
  const hours = FIXED[zone]
  const text = hours === undefined ? zone : `-${String(-hours).padStart(2, '0')}:00`
  return /^[+-]0?0:00$/.test(text) ? 'UTC' : text
}
