import { isObject, type Json } from '../harness/json.ts'
import { keyInAnyCase } from './model-read.ts'
import { type Fault, readText } from './model-text.ts'

/** What became of a time. */
export type ReadTime =
  | { readonly state: 'missing' | 'bad'; readonly faults: readonly Fault[] }
  | {
      readonly state: 'read'
      readonly instantMs: number
      readonly ambiguous: boolean
      readonly faults: readonly Fault[]
    }

const FORM = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:(Z)|([+-])(\d\d):?(\d\d))?$/
const HAS_OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/
const MINUTE_MS = 60_000

/** A time of A: text, or an object of EventTime and UTC. Source: transforms/RULES.md#r66. */
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

/** One text as a time; `zone` is for a text without offset. */
export function readTimeText(
  text: string | null,
  zone: string | undefined,
  faults: readonly Fault[],
): ReadTime {
  if (text === null) return { state: 'missing', faults }
  const wall = readWall(text)
  if (wall === null) return { state: 'bad', faults }
  if (wall.offsetMs !== null)
    return { state: 'read', instantMs: wall.wallMs - wall.offsetMs, ambiguous: false, faults }
  const instants = zone === undefined ? [] : instantsOf(wall.wallMs, zone)
  const [instantMs] = instants
  if (instantMs === undefined) return { state: 'bad', faults }
  return { state: 'read', instantMs, ambiguous: instants.length > 1, faults }
}

export interface Wall {
  /** The clock on the wall as if it were UTC. */
  readonly wallMs: number
  readonly offsetMs: number | null
}

/** A text of the one accepted form, null for every other. */
export function readWall(text: string): Wall | null {
  const match = FORM.exec(text)
  if (match === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0))
  // Date.UTC takes the years up to 99 for those of the 20th century.
  const wallMs = new Date(new Date(0).setUTCFullYear(year, month - 1, day)).setUTCHours(hour, minute, second)
  // A day or a minute that does not exist comes back as another one.
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

/** The instants at which the clocks of a zone show this, earliest first: none, one or two. */
function instantsOf(wallMs: number, zone: string): readonly number[] {
  // Around the time in question: no clock change is further away than the largest offset.
  const offsets = [-30, -12, 0, 12, 30].map((hours) => offsetAt(wallMs + hours * HOUR_MS, zone))
  const candidates = [...new Set(offsets)].map((offset) => wallMs - offset)
  return candidates.filter((instant) => instant + offsetAt(instant, zone) === wallMs).sort((a, b) => a - b)
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

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
function offsetAt(instantMs: number, zone: string): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instantMs)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - instantMs
}

// Of the names of three letters that `Intl` knows, those that IANA has; PST or IST are of its own making.
const SHORT_NAMES = 'EST MST HST CET EET MET WET GMT UTC UCT PRC ROC ROK'.split(' ')

/** Whether this is an IANA name of a zone, or a link to one, in any case. An offset is no name. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  if (name.length === 3 && !SHORT_NAMES.includes(name.toUpperCase())) return false
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** An instant as the platform takes it. */
export function formatInstant(instantMs: number): string {
  return `${new Date(instantMs).toISOString().slice(0, 19)}Z`
}
