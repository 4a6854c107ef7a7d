import type { Json, JsonObject } from '../../harness/json.ts'
import { readFlag } from './model-flags.ts'
import { exactKey, keyInAnyCase, readIdList, readReference } from './model-read.ts'
import type { Current, Row } from './model-resource.ts'
import { timesOfA, timesOfB, zoneOf } from './model-session-times.ts'
import { hasSpeakerRole } from './model-source-a.ts'
import { isCancelled, typeOf } from './model-source-b.ts'
import { readText } from './model-text.ts'
import { readLinks, readProfile, readTwitter, readUrl } from './model-urls.ts'
import type { Content, OptionsA, OptionsB } from './options.ts'

type Has<Options> = (record: JsonObject, options: Options) => boolean

/** How the contents use a field of a record. */
interface Mapped<Options> {
  readonly contents: readonly Content[]
  readonly has: Has<Options>
  /** True if no item can exist without the field. */
  readonly isRequired: boolean
  /** Returns the contents from which the field can exclude a record, each with the reason. */
  decides(options: Options): readonly Decides[]
  /** Another field that is read from the same key and whose name is better known. */
  readonly beside?: string
}

/** A content, and a reason for which a record has no item of this content. */
export interface Decides {
  readonly content: Content
  readonly reason: string
}

/** Fields of the records, by resource. */
type Table<Options> = Readonly<Record<string, Readonly<Record<string, Mapped<Options>>>>>

const maps =
  (...contents: readonly Content[]) =>
  <Options>(has: Has<Options>): Mapped<Options> => ({
    contents,
    has,
    isRequired: false,
    decides: () => [],
  })
/** Adds that the field can exclude a record from a content for a reason, if the options allow this. */
const deciding = <Options>(
  mapped: Mapped<Options>,
  content: Content,
  reason: string,
  when: (options: Options) => boolean = () => true,
): Mapped<Options> => ({
  ...mapped,
  decides: (options) => [...mapped.decides(options), ...(when(options) ? [{ content, reason }] : [])],
})
const required = <Options>(mapped: Mapped<Options>): Mapped<Options> => ({ ...mapped, isRequired: true })

const agenda = maps('agenda')
const speakers = maps('speakers')
const attendees = maps('attendees')
const people = maps('speakers', 'attendees')
/** Used for fields that do not become platform fields. */
const nothing = maps()

const hasText = (value: Json | undefined) => readText(value).text !== null

const a =
  (...keys: readonly string[]): Has<OptionsA> =>
  (record) =>
    keys.some((key) => hasText(keyInAnyCase(record, key)))
const namesOne =
  (name: string): Has<OptionsA> =>
  (record) =>
    readReference(keyInAnyCase(record, name)).text !== null
const flagOfA =
  (name: string): Has<OptionsA> =>
  (record) =>
    typeof readFlag(keyInAnyCase(record, name)) === 'boolean'
const timed = <Options>(mapped: Mapped<Options>) => deciding(mapped, 'agenda', 'bad_time')
const shows = ({ includeHidden }: OptionsA) => includeHidden !== true
const hasMeetings = ({ oneToOneTypes }: OptionsA) => oneToOneTypes?.length !== 0
const listOfA =
  (key: string): Has<OptionsA> =>
  (record) =>
    readIdList(keyInAnyCase(record, key), keyInAnyCase, 'Id').ids.length > 0

const TABLE_A: Table<OptionsA> = {
  Sessions: {
    title: required(agenda(a('Title'))),
    slot: timed(required(agenda(namesOne('TimeSlotId')))),
    description: agenda(a('Description')),
    room: agenda(namesOne('RoomId')),
    track: agenda(namesOne('TrackId')),
    type: deciding(agenda(namesOne('SessionTypeId')), 'agenda', 'one_to_one_meeting', hasMeetings),
    speakers: maps('agenda', 'speakers')(listOfA('Speakers')),
    enabled: deciding(nothing(flagOfA('Enabled')), 'agenda', 'not_published', shows),
    visible: deciding(nothing(flagOfA('VisibleToAnonymousUsers')), 'agenda', 'not_published', shows),
    status: deciding(
      nothing(a('Status')),
      'agenda',
      'not_published',
      ({ sessionStatuses }) => sessionStatuses !== undefined,
    ),
    links: agenda((record) => readLinks(keyInAnyCase(record, 'Links')).urls.length > 0),
  },
  TimeSlots: {
    start: timed(
      required(agenda((record, { timeZone }) => timesOfA(record, timeZone).start.state === 'read')),
    ),
    end: timed(required(agenda((record, { timeZone }) => timesOfA(record, timeZone).end.state === 'read'))),
  },
  Rooms: { location: agenda(a('Location')), name: agenda(a('Name')) },
  Tracks: { title: agenda(a('Title')) },
  SessionTypes: {
    title: deciding(agenda(a('Title', 'Name')), 'agenda', 'one_to_one_meeting', hasMeetings),
  },
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
    speakingAt: deciding(
      speakers(listOfA('SpeakingAt')),
      'speakers',
      'not_a_speaker',
      (options) => options.speakers !== 'role',
    ),
    role: deciding(nothing(hasSpeakerRole), 'speakers', 'not_a_speaker', (options) =>
      ['role', 'both'].includes(options.speakers ?? ''),
    ),
    pending: deciding(
      nothing(flagOfA('IsPending')),
      'speakers',
      'not_published',
      ({ includePending }) => includePending !== true,
    ),
  },
}

const b =
  (key: string): Has<OptionsB> =>
  (record) =>
    hasText(exactKey(record, key))

const TABLE_B: Table<OptionsB> = {
  sessions: {
    name: required(agenda(b('name'))),
    start: timed(
      required(agenda((record, { timeZone }) => timesOfB(record, timeZone).start.state === 'read')),
    ),
    end: timed(required(agenda((record, { timeZone }) => timesOfB(record, timeZone).end.state === 'read'))),
    zone: timed(
      agenda((record, { timeZone }) => zoneOf(exactKey(record, 'timezone'), timeZone) !== undefined),
    ),
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
    type: deciding(
      nothing((record) => typeOf(record).id !== null),
      'speakers',
      'not_a_speaker',
    ),
    typeValue: {
      ...deciding<OptionsB>(
        nothing((record) => typeOf(record).name !== null),
        'speakers',
        'not_a_speaker',
      ),
      beside: 'type',
    },
    typeText: {
      ...deciding<OptionsB>(
        nothing((record) => typeOf(record).name !== null || typeOf(record).id !== null),
        'speakers',
        'not_a_speaker',
      ),
      beside: 'type',
    },
    cancelled: deciding(
      deciding(
        nothing((record) => isCancelled(exactKey(record, 'cancelled_at'))),
        'attendees',
        'cancelled',
      ),
      'speakers',
      'cancelled',
      ({ cancelledSpeakers }) => cancelledSpeakers === 'exclude',
    ),
  },
  'reg-types': { name: deciding(nothing(b('name')), 'speakers', 'not_a_speaker') },
}

interface Joined {
  readonly resource: string
  idIn(record: JsonObject): string | null
}

/** For each lookup resource: the resource whose records refer to it, and how their reference is read. */
const JOINED: Readonly<Record<string, Joined>> = {
  TimeSlots: { resource: 'Sessions', idIn: (record) => readText(keyInAnyCase(record, 'TimeSlotId')).text },
  SessionTypes: {
    resource: 'Sessions',
    idIn: (record) => readText(keyInAnyCase(record, 'SessionTypeId')).text,
  },
  'reg-types': { resource: 'registrants', idIn: (record) => typeOf(record).id },
}

/**
 * Lists the records that can refer to a record of a lookup resource. Each entry has the id of the referring
 * record, and the id to which this record refers.
 */
export function namingIn(
  lookup: string,
  resources: Readonly<Record<string, Current>>,
): readonly { readonly id: string; readonly named: string | null }[] {
  const { resource, idIn } = JOINED[lookup] ?? {}
  if (resource === undefined) return []
  return [...(resources[resource] ?? [])].map(([id, record]) => ({ id, named: idIn?.(record) ?? null }))
}

export interface WatchedField {
  readonly name: string
  readonly isRequired: boolean
  readonly decides: readonly Decides[]
  readonly beside?: string
}

/**
 * Lists the fields of a resource that the contents read. Each entry says if a content requires the field, and
 * from which contents the field can exclude a record.
 */
export function fieldsOf<Options>(
  type: 'a' | 'b',
  resource: string,
  contents: readonly Content[],
  options: Options,
): readonly WatchedField[] {
  const table = (type === 'a' ? TABLE_A : TABLE_B) as Table<Options>
  return Object.entries(table[resource] ?? {}).flatMap(([name, { isRequired, beside, ...mapped }]) => {
    const decides = mapped.decides(options).filter(({ content }) => contents.includes(content))
    const isRead = decides.length > 0 || mapped.contents.some((content) => contents.includes(content))
    return isRead ? { name, isRequired, decides, ...(beside !== undefined && { beside }) } : []
  })
}

export type Filled = ReadonlyMap<string, ReadonlySet<string>>

/**
 * @param before the fields at the run before. The earlier fields remain valid for records that this run did
 * not see
 */
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
