import { WINDOWS_TO_IANA_MAP } from 'windows-iana'
import { RAILS_ZONES } from './rails-zones.ts'

/** A time zone, as a record or the configuration names it. */
export interface Zone {
  /** IANA name in the spelling of the source or of a table in this product, or an offset such as `-05:00`. */
  readonly name: string
  /**
   * Returns the offset of the zone's clocks from UTC, in milliseconds, at an instant (milliseconds since
   * 1970). The offset is positive if the clocks are ahead of UTC.
   */
  offsetMsAt(instantMs: number): number
}

/**
 * Maximum number of characters in the name of a zone. Without a maximum length, a source could fill the
 * memory with very long names.
 */
const LONGEST_NAME = 100
/**
 * Maximum number of entries in the cache below. The cache needs a limit, because a source may write a
 * different zone name in each record.
 */
const MOST_KNOWN = 1000
const known = new Map<string, Zone | null>()

/**
 * Finds a time zone by the name that a source uses; the case of letters does not matter
 * (transforms/RULES.md#r66).
 *
 * @returns null if the text does not name a zone
 */
export function findZone(name: string): Zone | null {
  if (name.length > LONGEST_NAME) return null
  const found = known.get(name)
  if (found !== undefined) return found
  if (known.size >= MOST_KNOWN) known.clear()
  const zone = fixedZone(name) ?? ianaZone(name) ?? ianaZone(ianaNameOf(name) ?? '')
  known.set(name, zone)
  return zone
}

/**
 * Returns true if `Intl` knows a name as an IANA time zone or link; the case of letters does not matter. For
 * example, `US/Eastern` and `UTC` are known names, and `+02:00` is not.
 */
export function isTimeZone(name: string): boolean {
  return formatterOf(name) !== null
}

/**
 * Matches the offset that lists of time zones show in front of a zone's name. The listed offset is dropped,
 * because it is only the offset in winter.
 */
const LISTED_OFFSET = /^\((?:UTC|GMT)(?:[+\-\u2212]\d\d:\d\d)?\) /i

/**
 * Finds the IANA name of a zone by its name in Windows or Ruby on Rails. The name is in the form that
 * selection lists and pages show. In summer, Windows writes `Daylight Time` in the name of the zone.
 */
function ianaNameOf(name: string): string | undefined {
  const plain = name.replace(LISTED_OFFSET, '').replace('&amp;', '&').toLowerCase()
  return IANA_NAMES.get(plain) ?? IANA_NAMES.get(plain.replace(/ daylight time$/, ' standard time'))
}

const MOST_SHOWN = 60

/**
 * Returns the zone name of a record for use in a message. A text that cannot be the name of a zone is not
 * shown, because it could be a personal value. A text is not shown if it is too long for a zone name, or has
 * characters that zone names do not have.
 */
export function shownZone(text: string): string {
  return text.length <= MOST_SHOWN && /^[\p{L}\p{N} ._+:/()&'-]+$/u.test(text) ? `"${text}"` : 'another value'
}

const IANA_NAMES: ReadonlyMap<string, string> = new Map(
  [
    ...WINDOWS_TO_IANA_MAP.flatMap(({ windowsName, territory, iana }) =>
      // Several IANA zones have the same Windows name. The entry with territory 001 (the world) has the main
      // zone.
      territory === '001' ? [[windowsName, iana[0]] as const] : [],
    ),
    ...RAILS_ZONES,
  ].map(([name, iana]) => [name.toLowerCase(), iana]),
)

const HOUR_MS = 3_600_000

/**
 * Hours by which the zones of some abbreviations differ from UTC. The abbreviations are from RFC 5322 and are
 * not IANA names. The hours of each abbreviation are the same in summer and in winter.
 */
const ABBREVIATIONS: ReadonlyMap<string, number> = new Map([
  ['Z', 0],
  ['UT', 0],
  ['EDT', -4],
  ['CDT', -5],
  ['CST', -6],
  ['MDT', -6],
  ['PDT', -7],
  ['PST', -8],
])

/**
 * Matches an offset, such as `UTC-5`. The pattern does not match `Etc/GMT+5`, which is an IANA name in which
 * the sign has the opposite meaning.
 */
const OFFSET = /^(?:UTC?|GMT)?\s*([+\-\u2212])\s*(\d{1,2})(?:(?::|(?<=\d\d))([0-5]\d))?$/i
const LARGEST_OFFSET_MS = 14 * HOUR_MS

function fixedZone(name: string): Zone | null {
  const hours = ABBREVIATIONS.get(name.toUpperCase())
  if (hours !== undefined) return zoneAt(hours * HOUR_MS)
  const [, sign, whole, minutes = '0'] = OFFSET.exec(name) ?? []
  if (sign === undefined) return null
  const sizeMs = Number(whole) * HOUR_MS + Number(minutes) * 60_000
  return sizeMs > LARGEST_OFFSET_MS ? null : zoneAt(sign === '+' ? sizeMs : 0 - sizeMs)
}

function zoneAt(offsetMs: number): Zone {
  return { name: offsetInWords(offsetMs), offsetMsAt: () => offsetMs }
}

/** Formats an offset from UTC, for example as `+05:30`; zero is formatted as `UTC`. */
export function offsetInWords(offsetMs: number): string {
  if (offsetMs === 0) return 'UTC'
  const shown = new Date(Math.abs(offsetMs))
    .toISOString()
    .slice('1970-01-01T'.length, '1970-01-01T00:00'.length)
  return `${offsetMs < 0 ? '-' : '+'}${shown}`
}

function ianaZone(name: string): Zone | null {
  const formatter = formatterOf(name)
  return formatter === null ? null : { name, offsetMsAt: (instantMs) => offsetMsAt(formatter, instantMs) }
}

// Zone names from old Java and System V that the ICU library accepts although they are not IANA names. For
// example, ICU treats BST as the time of Dhaka.
const OF_ICU_ONLY =
  /^(?:ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i

const NAME = /^[a-z][a-z0-9._+/-]*$/i

/**
 * Cache of date formatters, by zone name in lower case. Creating a formatter takes a thousand times as long
 * as using it.
 */
const formatters = new Map<string, Intl.DateTimeFormat>()

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

// The formatter prints texts such as `11/7/2010, GMT-05:00`. For dates before standard time it prints seconds
// too (`GMT-04:56:02`), and for UTC some versions print only `GMT`.
const SHOWN_OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/

function offsetMsAt(formatter: Intl.DateTimeFormat, instantMs: number): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    SHOWN_OFFSET.exec(formatter.format(instantMs)) ?? []
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -size : size
}

const DAY_MS = 24 * HOUR_MS

/** The instants at which the clocks of a zone show a given local time, in milliseconds since 1970. */
export interface Instants {
  /**
   * Two instants, the earlier first, if the clocks show the local time twice; one instant in all other cases.
   */
  readonly all: readonly [number, ...number[]]
  /** True if a clock change skips the local time, so that the clocks never show it. */
  readonly isSkipped: boolean
}

/**
 * Finds the instants at which the clocks of a zone show a given local time. If a clock change skips the local
 * time, the offset before the change is used. RFC 5545 and Temporal's "compatible" do this too.
 *
 * @param wallMs local time in milliseconds since 1970, calculated as if it were UTC; a multiple of 1000
 */
export function instantsOf(wallMs: number, zone: Zone): Instants {
  // Local time in every zone differs from UTC by less than a day, and no zone has ever changed its clocks
  // twice within two days. If a local time occurs twice, the offset before the clock change is the larger
  // offset, so the earlier instant comes first.
  const [before, after] = [zone.offsetMsAt(wallMs - DAY_MS), zone.offsetMsAt(wallMs + DAY_MS)]
  const [first, ...others] = [...new Set([before, after])]
    .map((offsetMs) => wallMs - offsetMs)
    .filter((instantMs) => instantMs + zone.offsetMsAt(instantMs) === wallMs)
  return first === undefined
    ? { all: [wallMs - before], isSkipped: true }
    : { all: [first, ...others], isSkipped: false }
}

/** Returns true if the clocks of a zone are changed exactly at this instant. */
export function isClockChange(instantMs: number, zone: Zone): boolean {
  return zone.offsetMsAt(instantMs - 1000) !== zone.offsetMsAt(instantMs)
}

/**
 * Returns the local time that the clocks of a zone show at an instant.
 *
 * @param instantMs milliseconds since 1970 in UTC
 * @returns local time in milliseconds since 1970, calculated as if it were UTC; null if the zone is unknown
 */
export function wallMsAt(instantMs: number, zoneName: string): number | null {
  const zone = findZone(zoneName)
  return zone === null ? null : instantMs + zone.offsetMsAt(instantMs)
}

/** Form of a local time, without an offset: `2031-05-04T09:00:00`. */
const LOCAL_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length

/**
 * Returns the local time that the clocks of a zone show at an instant, as `2031-05-04T09:00:00`.
 *
 * @param instant ISO 8601 in UTC, with whole seconds
 * @returns null if the zone is unknown, the instant cannot be read, or the local time is not in the years 1
 *   to 9999
 */
export function localTime(instant: string, zoneName: string): string | null {
  const instantMs = Date.parse(instant)
  const wallMs = Number.isNaN(instantMs) ? null : wallMsAt(instantMs, zoneName)
  if (wallMs === null || wallMs < FIRST_LOCAL_MS || wallMs >= AFTER_LAST_LOCAL_MS) return null
  return new Date(wallMs).toISOString().slice(0, LOCAL_LENGTH)
}

const FIRST_LOCAL_MS = Date.parse('0001-01-01T00:00:00Z')
const AFTER_LAST_LOCAL_MS = Date.parse('+010000-01-01T00:00:00Z')
