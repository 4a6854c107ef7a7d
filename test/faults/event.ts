import { pick, type Random, randomOf } from './random.ts'

export type SourceType = 'a' | 'b'

/** What a source holds, by resource; each record is its JSON text, as it goes over the wire. */
export type State = Readonly<Record<string, readonly string[]>>

/** An event as it was at the first sync, and as it is at the second. */
export interface FaultEvent {
  readonly before: State
  readonly after: State
}

/** Resources by their names, with the last part of their paths. Source: spec-gaps, "on the wire". */
export const PATHS: Readonly<Record<SourceType, Readonly<Record<string, string>>>> = {
  a: {
    sessions: 'Sessions',
    time_slots: 'TimeSlots',
    rooms: 'Rooms',
    tracks: 'Tracks',
    session_types: 'SessionTypes',
    users: 'Users',
  },
  b: { sessions: 'sessions.json', registrants: 'registrants.json', reg_types: 'reg-types.json' },
}

export const resourcesOf = (type: SourceType): readonly string[] => Object.keys(PATHS[type])

/** Of all the values that must not be told, each bears this word. */
export const CANARY = 'canary'

type Record_ = Readonly<Record<string, unknown>>

/**
 * Makes an event of which every resource takes two pages or more, and in which something is new, gone, changed and,
 * where the source tells it, taken back between the syncs: a removal that is not due would show.
 */
export function makeEvent(type: SourceType, seed: number): FaultEvent {
  const random = randomOf(seed)
  const count = () => 6 + Math.floor(random() * 5)
  const lists = type === 'a' ? listsOfA(count(), count(), random) : listsOfB(count(), count(), random)
  const id = type === 'a' ? 'Id' : 'id'
  const after = Object.entries(lists).map(([name, list]) => [name, changed(list, name, id)] as const)
  return { before: toState(Object.entries(lists)), after: toState(after) }
}

function toState(lists: readonly (readonly [string, readonly Record_[]])[]): State {
  return Object.fromEntries(
    lists.map(([name, list]) => [name, list.map((record) => JSON.stringify(record))] as const),
  )
}

/** The second record is gone, the third has another text, the fourth is taken back, and one is new. */
function changed(list: readonly Record_[], resource: string, id: string): readonly Record_[] {
  const ids = list.map((record) => Number(record[id]))
  const fresh = { ...list.at(-1), [id]: Math.max(...ids) + 1 }
  return [...list, fresh]
    .map((record, index) => {
      if (index === 2) return { ...record, ...CHANGES[resource] }
      return index === 3 ? { ...record, ...WITHDRAWALS[`${id} ${resource}`] } : record
    })
    .filter((_, index) => index !== 1)
}

/** Texts that matter to no rule but the one that copies them. */
const CHANGES: Readonly<Record<string, Record_>> = {
  sessions: { Description: 'changed', description: 'changed' },
  time_slots: { EndTime: '2031-05-04T18:30:00Z' },
  rooms: { Location: 'Annexe' },
  tracks: { Title: 'Changed' },
  session_types: { Title: 'Changed' },
  users: { Company: 'Changed' },
  registrants: { company: 'Changed' },
  reg_types: { name: 'Changed' },
}

const WITHDRAWALS: Readonly<Record<string, Record_>> = {
  'Id sessions': { Enabled: false },
  'id registrants': { cancelled_at: '2031-05-01 10:00:00' },
}

const range = (length: number) => Array.from({ length }, (_, index) => index + 1)
const WORDS = ['Harbour', 'Æther', 'Tide & Time', 'Quay "Nine"', 'Lock\\Gate', '水']

function listsOfA(sessions: number, users: number, random: Random): Readonly<Record<string, Record_[]>> {
  const lookup = (base: number, record: (n: number) => Record_) =>
    range(5).map((n) => ({ Id: base + n, ...record(n) }))
  const one = (base: number, length: number) => base + 1 + Math.floor(random() * length)
  return {
    sessions: range(sessions).map((n) => ({
      Id: 100 + n,
      Title: `${pick(WORDS, random)} ${n}`,
      Enabled: true,
      TimeSlotId: one(10, 5),
      RoomId: one(20, 5),
      TrackId: one(30, 5),
      SessionTypeId: one(40, 5),
      Speakers: [{ Id: one(500, users) }],
    })),
    time_slots: lookup(10, (n) => ({
      StartTime: `2031-05-0${n}T09:00:00Z`,
      EndTime: `2031-05-0${n}T10:00:00Z`,
    })),
    rooms: lookup(20, (n) => ({ Name: `Room ${n}`, Location: 'Main house' })),
    tracks: lookup(30, (n) => ({ Title: `Track ${n}` })),
    session_types: lookup(40, (n) => ({ Title: `Type ${n}` })),
    users: range(users).map((n) => ({
      Id: 500 + n,
      FirstName: pick(WORDS, random),
      LastName: `Of ${n}`,
      EmailAddress: `person.${n}@${CANARY}.example`,
      SpeakingAt: [],
    })),
  }
}

function listsOfB(sessions: number, people: number, random: Random): Readonly<Record<string, Record_[]>> {
  return {
    sessions: range(sessions).map((n) => ({
      id: 100 + n,
      name: `${pick(WORDS, random)} ${n}`,
      date: '2031-08-08',
      start_time: '09:00:00',
      end_time: '10:00:00',
    })),
    registrants: range(people).map((n) => ({
      id: 500 + n,
      first_name: pick(WORDS, random),
      last_name: `Of ${n}`,
      email: `person.${n}@${CANARY}.example`,
      reg_type_id: n % 2 === 0 ? 21 : 24,
      session_ids: [101 + Math.floor(random() * sessions)],
      cancelled_at: null,
    })),
    reg_types: ['Speaker', 'Press', 'Guest', 'Attendee', 'Staff'].map((name, n) => ({ id: 21 + n, name })),
  }
}
