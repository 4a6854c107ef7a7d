import type { Content } from '../../sql/tables.ts'
import type { Fields } from '../harness/read-pack.ts'
import { rawElement } from '../harness/sample-source/server.ts'
import type { Resources } from '../harness/serve-records.ts'
import { byTextRule, idsAmong } from './strings.ts'

const WHEN = { startTime: '2031-05-04T09:30:00Z', endTime: '2031-05-04T10:30:00Z' }

/**
 * Returns records of Source A with each string in every text field and in every id.
 *
 * @param optional the strings for fields that may be absent, in the order of `required`
 */
export function recordsOfA(required: readonly string[], optional: readonly string[]): Resources {
  const ids = idsAmong(required)
  const inRoom = (n: number) => ({ TimeSlotId: 't0', RoomId: `name-${n}` })
  return inAscii({
    TimeSlots: [{ Id: 't0', StartTime: WHEN.startTime, EndTime: WHEN.endTime }],
    Sessions: [
      ...required.map((text, n) => ({ Id: `required-${n}`, Title: text, ...inRoom(n) })),
      ...optional.map((text, n) => ({
        Id: `optional-${n}`,
        Title: 'T',
        Description: text,
        TimeSlotId: 't0',
        RoomId: `place-${n}`,
        TrackId: `track-${n}`,
        SessionTypeId: `type-${n}`,
      })),
      ...ids.map(({ text }) => ({ Id: text, Title: 'T', TimeSlotId: 't0', Speakers: [{ Id: text }] })),
    ],
    Rooms: [
      ...required.map((text, n) => ({ Id: `name-${n}`, Name: text })),
      ...optional.map((text, n) => ({ Id: `place-${n}`, Name: 'Hall', Location: text })),
    ],
    Tracks: optional.map((text, n) => ({ Id: `track-${n}`, Title: text })),
    SessionTypes: optional.map((text, n) => ({ Id: `type-${n}`, [n % 2 ? 'Title' : 'Name']: text })),
    Users: [
      ...required.map((text, n) => ({ ...nameOf(text), Id: `required-${n}`, SpeakingAt: ['anywhere'] })),
      ...optional.map((text, n) => ({
        ...nameOf('N'),
        Id: `optional-${n}`,
        SpeakingAt: ['anywhere'],
        Title: text,
        Company: text,
        Biography: text,
      })),
      ...ids.map(({ text }) => ({ ...nameOf('N'), Id: text, SpeakingAt: [] })),
    ],
  })
}

function nameOf(text: string) {
  return { FirstName: text, LastName: text, EmailAddress: text }
}

/** Returns the items that the platform must have for these records. */
export function expectedOfA(required: readonly string[], optional: readonly string[]): Expected {
  const ids = idsAmong(required)
  const requiredValues = valuesOf(required)
  const optionalValues = optional.map((text, n) => [`optional-${n}`, byTextRule(text)] as const)
  const listOf = (value: string | undefined) => (value === undefined ? undefined : [value])
  return {
    agenda: [
      ...requiredValues.map(([id, value]) => [id, { ...WHEN, name: value, location: value }] as const),
      ...optionalValues.map(([id, value]) => {
        const location = value === undefined ? 'Hall' : `${value} - Hall`
        const filterGroup = value === undefined ? undefined : 'Types'
        const lists = { sessionTracks: listOf(value), subFilters: listOf(value) }
        return [id, { ...WHEN, name: 'T', description: value, location, filterGroup, ...lists }] as const
      }),
      ...ids.map(({ id }) => [id, { ...WHEN, name: 'T', speakerIds: [id] }] as const),
    ],
    speakers: [
      ...requiredValues.map(([id, value]) => [id, { ...names(value), attendeeId: id }] as const),
      ...optionalValues.map(([id, value]) => {
        const texts = { title: value, company: value, description: value }
        return [id, { ...names('N'), ...texts, attendeeId: id }] as const
      }),
      ...ids.map(({ id }) => [id, { ...names('N'), attendeeId: id, sessionIds: [id] }] as const),
    ],
    attendees: [
      ...requiredValues.map(([id, value]) => [id, { ...names(value), emailAddress: value }] as const),
      ...optionalValues.map(([id, value]) => {
        return [id, { ...names('N'), emailAddress: 'N', title: value, company: value }] as const
      }),
      ...ids.map(({ id }) => [id, { ...names('N'), emailAddress: 'N' }] as const),
    ],
  }
}

/**
 * Returns the records as JSON in which every non-ASCII character is escaped, which is another way to send the
 * same text.
 */
function inAscii(records: Resources): Resources {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  const written = (record: unknown) => rawElement(JSON.stringify(record).replace(/[\u007f-\uffff]/g, escaped))
  return Object.fromEntries(Object.entries(records).map(([name, all]) => [name, all.map(written)]))
}

/** The expected items by unique ID; a field with the value `undefined` must be absent. */
export type Expected = Readonly<
  Record<Content, readonly (readonly [id: string, fields: Readonly<Record<string, unknown>>])[]>
>

/**
 * Returns pairs of a record's id and the value of its required fields. A record without a value has no item
 * and no pair.
 */
function valuesOf(required: readonly string[]): readonly (readonly [id: string, value: string])[] {
  return required.flatMap((text, n) => {
    const value = byTextRule(text)
    return value === undefined ? [] : [[`required-${n}`, value] as const]
  })
}

const names = (value: string) => ({ firstName: value, lastName: value })

/** Sorts items, so that two lists of them can be compared. */
export function inOrder<Item>(
  items: Iterable<readonly [string, Item]>,
): readonly (readonly [string, Item])[] {
  return [...items].sort(([one], [other]) => (one < other ? -1 : 1))
}

/**
 * Returns the changes between two syncs, by `content id field`, each with the value before and after. Null
 * means that there is no value.
 */
export function changesBetween(before: Expected, after: Expected): ReadonlyMap<string, readonly unknown[]> {
  const changes = new Map<string, readonly unknown[]>()
  for (const content of ['agenda', 'speakers', 'attendees'] as const) {
    const old = new Map<string, Fields>(before[content] as Iterable<readonly [string, Fields]>)
    for (const [id, fields] of after[content]) {
      for (const field of Object.keys(fields)) {
        const pair = [old.get(id)?.[field] ?? null, fields[field] ?? null]
        if (JSON.stringify(pair[0]) !== JSON.stringify(pair[1]))
          changes.set(`${content} ${id} ${field}`, pair)
      }
    }
  }
  return changes
}
