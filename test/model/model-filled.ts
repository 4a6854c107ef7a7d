import type { Json, JsonObject } from '../harness/json.ts'
import { exactKey, keyInAnyCase, readIdList } from './model-read.ts'
import type { Current, Row } from './model-resource.ts'
import { timesOfA, timesOfB } from './model-session-times.ts'
import { readText } from './model-text.ts'
import { readLinks, readProfile, readTwitter, readUrl } from './model-urls.ts'
import type { Content, OptionsA, OptionsB } from './options.ts'

type Has<Options> = (record: JsonObject, options: Options) => boolean

/** What of a record becomes a field of contents. */
interface Mapped<Options> {
  readonly contents: readonly Content[]
  readonly has: Has<Options>
  /** Whether there is no item without it. */
  readonly isRequired: boolean
}

/** Fields of the records by resource. */
type Table<Options> = Readonly<Record<string, Readonly<Record<string, Mapped<Options>>>>>

const maps =
  (...contents: readonly Content[]) =>
  <Options>(has: Has<Options>): Mapped<Options> => ({ contents, has, isRequired: false })
const required = <Options>(mapped: Mapped<Options>): Mapped<Options> => ({ ...mapped, isRequired: true })

const agenda = maps('agenda')
const speakers = maps('speakers')
const attendees = maps('attendees')
const people = maps('speakers', 'attendees')

const hasText = (value: Json | undefined) => readText(value).text !== null

const a =
  (...keys: readonly string[]): Has<OptionsA> =>
  (record) =>
    keys.some((key) => hasText(keyInAnyCase(record, key)))
const listOfA =
  (key: string): Has<OptionsA> =>
  (record) =>
    readIdList(keyInAnyCase(record, key), keyInAnyCase, 'Id').ids.length > 0

const TABLE_A: Table<OptionsA> = {
  Sessions: {
    title: required(agenda(a('Title'))),
    slot: required(agenda(a('TimeSlotId'))),
    description: agenda(a('Description')),
    room: agenda(a('RoomId')),
    track: agenda(a('TrackId')),
    type: agenda(a('SessionTypeId')),
    speakers: agenda(listOfA('Speakers')),
    links: agenda((record) => readLinks(keyInAnyCase(record, 'Links')).urls.length > 0),
  },
  TimeSlots: {
    start: required(agenda((record, { timeZone }) => timesOfA(record, timeZone).start.state === 'read')),
    end: required(agenda((record, { timeZone }) => timesOfA(record, timeZone).end.state === 'read')),
  },
  Rooms: { location: agenda(a('Location')), name: agenda(a('Name')) },
  Tracks: { title: agenda(a('Title')) },
  SessionTypes: { title: agenda(a('Title', 'Name')) },
  Users: {
    firstName: required(people(a('FirstName'))),
    lastName: required(people(a('LastName'))),
    email: required(attendees(a('EmailAddress'))),
    title: people(a('Title')),
    company: people(a('Company')),
    biography: speakers(a('Biography')),
    photo: speakers((record) => readUrl(keyInAnyCase(record, 'PhotoLink')).url !== null),
    facebook: speakers((record, { fields }) => {
      const value = keyInAnyCase(record, fields?.facebook ?? 'Facebook')
      return readProfile(value, 'facebook.com', '/').url !== null
    }),
    linkedin: speakers((record, { fields }) => {
      const value = keyInAnyCase(record, fields?.linkedin ?? 'LinkedIn')
      return readProfile(value, 'linkedin.com', '/in/').url !== null
    }),
    speakingAt: speakers(listOfA('SpeakingAt')),
  },
}

const b =
  (key: string): Has<OptionsB> =>
  (record) =>
    hasText(exactKey(record, key))

const TABLE_B: Table<OptionsB> = {
  sessions: {
    name: required(agenda(b('name'))),
    start: required(agenda((record, { timeZone }) => timesOfB(record, timeZone).start.state === 'read')),
    end: required(agenda((record, { timeZone }) => timesOfB(record, timeZone).end.state === 'read')),
    description: agenda(b('description')),
  },
  registrants: {
    firstName: required(people(b('first_name'))),
    lastName: required(people(b('last_name'))),
    email: required(attendees((record, { fields }) => hasText(exactKey(record, fields?.email ?? 'email')))),
    title: people(b('job_title')),
    company: people(b('company')),
    biography: people(b('bio')),
    phone: attendees(b('mobile_phone')),
    twitter: speakers((record) => readTwitter(exactKey(record, 'twitter_handle')).url !== null),
    sessions: people((record) => readIdList(exactKey(record, 'session_ids'), exactKey, 'id').ids.length > 0),
  },
}

/** Names of the fields of a resource that the contents use, each with whether one of them requires it. */
export function fieldsOf(type: 'a' | 'b', resource: string, contents: readonly Content[]) {
  const table: Table<never> = type === 'a' ? TABLE_A : TABLE_B
  return Object.entries(table[resource] ?? {})
    .filter(([, mapped]) => mapped.contents.some((content) => contents.includes(content)))
    .map(([name, { isRequired }]) => ({ name, isRequired }))
}

export type Filled = ReadonlyMap<string, ReadonlySet<string>>

/** @param before of the run before: what was not seen stays as it was read then */
export function filledOf(
  resource: string,
  current: Current,
  rows: readonly Row[],
  before: Filled,
  read: ReadFilled,
): Filled {
  const unseen = new Set(rows.filter(({ status }) => status === 'unseen').map(({ id }) => id))
  return new Map(
    [...current].map(([id, record]) => {
      const known = unseen.has(id) ? before.get(id) : undefined
      const names = Object.entries(read(resource, record)).flatMap(([name, has]) => (has ? name : []))
      return [id, known ?? new Set(names)]
    }),
  )
}

type ReadFilled = (resource: string, record: JsonObject) => Readonly<Record<string, boolean>>

const reader = <Options>(table: Table<Options>) => {
  return (options: Options): ReadFilled =>
    (resource, record) =>
      Object.fromEntries(
        Object.entries(table[resource] ?? {}).map(([name, { has }]) => [name, has(record, options)]),
      )
}

export const readFilledA = reader(TABLE_A)
export const readFilledB = reader(TABLE_B)
