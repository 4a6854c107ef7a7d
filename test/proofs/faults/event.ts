import { type Json, toJson } from '../../harness/json.ts'
import { makeRandom, type Random } from '../../harness/random.ts'
import { CANARY } from '../../harness/source-server.ts'

export type SourceType = 'a' | 'b'

/** The records of a source, by resource. */
export type State = Readonly<Record<string, readonly Json[]>>

/** The records of an event at the first sync and at the second sync. */
export interface FaultEvent {
  readonly before: State
  readonly after: State
}

/**
 * The resources of a source, with their names in the paths of requests. Source: transforms/RULES.md#r5, #r6,
 * #r7, #r18.
 */
export const PATHS: Readonly<Record<SourceType, Readonly<Record<string, string>>>> = {
  a: {
    sessions: 'Sessions',
    time_slots: 'TimeSlots',
    rooms: 'Rooms',
    tracks: 'Tracks',
    session_types: 'SessionTypes',
    users: 'Users',
  },
  b: { sessions: 'sessions', registrants: 'registrants', reg_types: 'reg-types' },
}

export const resourcesOf = (type: SourceType): readonly string[] => Object.keys(PATHS[type])

type Record_ = Readonly<Record<string, unknown>>

/**
 * Makes an event whose resources each take two pages or more. Between the two syncs records are added,
 * removed and changed. Some records ask for their own removal, if the source has a field for this. The
 * changes are made so that the tests notice wrong removals.
 */
export function makeEvent(type: SourceType, seed: number): FaultEvent {
  const random = makeRandom(seed)
  const count = () => 6 + random.below(5)
  const lists = type === 'a' ? listsOfA(count(), count(), random) : listsOfB(count(), count(), random)
  const id = type === 'a' ? 'Id' : 'id'
  const all = Object.entries(lists)
  return {
    before: Object.fromEntries(all.map(([name, list]) => [name, list.map(toJson)])),
    after: Object.fromEntries(all.map(([name, list]) => [name, changed(list, name, id).map(toJson)])),
  }
}

/**
 * Removes the second record, changes the third record, lets the fourth record ask for its removal, and adds a
 * record.
 */
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

/** New values of fields whose text is only copied: no rule decides anything by these fields. */
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
  const one = (base: number, length: number) => base + 1 + random.below(length)
  return {
    sessions: range(sessions).map((n) => ({
      Id: 100 + n,
      Title: `${random.pick(WORDS)} ${n}`,
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
      FirstName: random.pick(WORDS),
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
      name: `${random.pick(WORDS)} ${n}`,
      date: '2031-08-08',
      start_time: '09:00:00',
      end_time: '10:00:00',
    })),
    registrants: range(people).map((n) => ({
      id: 500 + n,
      first_name: random.pick(WORDS),
      last_name: `Of ${n}`,
      email: `person.${n}@${CANARY}.example`,
      reg_type_id: n % 2 === 0 ? 21 : 24,
      session_ids: [101 + random.below(sessions)],
      cancelled_at: null,
    })),
    reg_types: ['Speaker', 'Press', 'Guest', 'Attendee', 'Staff'].map((name, n) => ({ id: 21 + n, name })),
  }
}
