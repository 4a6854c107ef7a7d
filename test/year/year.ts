import type { Random } from '../harness/random.ts'
import type { Resources } from '../harness/serve-records.ts'

/** What an organiser has done since the state before. */
export interface Step {
  readonly name: string
  /** Whether an organiser would rather be asked: nearly all of a content goes at once. */
  readonly isDrastic: boolean
  readonly records: Records
}

type Session = Readonly<ReturnType<typeof sessionOf>>
type User = Readonly<ReturnType<typeof userOf>>

export interface Records {
  readonly sessions: readonly Session[]
  readonly users: readonly User[]
  readonly slots: readonly { readonly Id: number; readonly StartTime: string; readonly EndTime: string }[]
  readonly rooms: readonly { readonly Id: number; readonly Name: string }[]
}

function sessionOf(id: string, title: string, slotId: number) {
  return {
    Id: id,
    Title: title,
    Description: null as string | null,
    TimeSlotId: slotId,
    RoomId: null as number | null,
    TrackId: null as number | null,
    SessionTypeId: 1,
    Enabled: true,
    Speakers: [] as readonly string[],
  }
}

function userOf(number: number) {
  const [Id, LastName] = [`p${number}`, `Of ${number}`]
  return { Id, FirstName: 'Ada', LastName, EmailAddress: `p${number}@people.example` }
}

const TRACKS = ['Data', 'Design', 'Operations', 'Business'].map((Title, index) => ({ Id: index + 1, Title }))
const TYPES = ['Talk', 'Workshop'].map((Title, index) => ({ Id: index + 1, Title }))
const HOURS = 8

/** As Source A serves them. */
export function resourcesOf({ sessions, users, slots, rooms }: Records): Resources {
  return {
    Sessions: sessions,
    Users: users,
    TimeSlots: slots,
    Rooms: rooms,
    Tracks: TRACKS,
    SessionTypes: TYPES,
  }
}

/** A slot for each hour of as many days as the sessions need with four at a time. */
function slotsFor(sessions: number, year: number): Records['slots'] {
  const days = Math.ceil(sessions / (4 * HOURS))
  return Array.from({ length: days * HOURS }, (_, index) => {
    const at = (hour: number) =>
      `${year}-05-${String(4 + Math.floor(index / HOURS)).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`
    const hour = 9 + (index % HOURS)
    return { Id: index + 1, StartTime: at(hour), EndTime: at(hour + 1) }
  })
}

/**
 * A year of an organiser with one integration, from a draft to the programme of the next year.
 *
 * @param size sessions of the programme
 */
export function yearOf(size: number, random: Random): readonly Step[] {
  const steps: Step[] = []
  const slots = slotsFor(size, 2031)
  const rooms = Array.from({ length: 4 }, (_, index) => ({ Id: index + 1, Name: `Room ${index + 1}` }))
  let number = 0
  let now: Records = { sessions: [], users: [], slots, rooms }
  const step = (name: string, change: Partial<Records>, isDrastic = false) => {
    now = { ...now, ...change }
    steps.push({ name, isDrastic, records: now })
  }
  const draft = (prefix: string) => {
    number += 1
    return sessionOf(`${prefix}${number}`, `${prefix} ${number}`, random.pick(slots).Id)
  }
  const some = <Value>(list: readonly Value[], count: number) =>
    new Set(random.shuffled(list).slice(0, count))
  const edited = (count: number, edit: (session: Session) => Session) => {
    const chosen = some(now.sessions, count)
    return now.sessions.map((session) => (chosen.has(session) ? edit(session) : session))
  }
  const without = <Value>(list: readonly Value[], count: number) => {
    const gone = some(list, count)
    return list.filter((one) => !gone.has(one))
  }
  const few = () => 1 + random.below(Math.max(2, Math.round(size / 20)))

  step('sample data', { sessions: [1, 2, 3].map(() => draft('sample')), users: [userOf(0)] })
  step('sample data is replaced', {
    sessions: Array.from({ length: Math.ceil(size / 4) }, () => draft('s')),
  })
  for (let part = 2; part <= 4; part += 1) {
    step('sessions are added', {
      sessions: [...now.sessions, ...Array.from({ length: Math.ceil(size / 4) }, () => draft('s'))],
    })
  }
  step('titles are edited', { sessions: edited(few(), (one) => ({ ...one, Title: `${one.Title}, edited` })) })
  step('drafts are thrown away', { sessions: without(now.sessions, few()) })
  step('rooms are assigned', {
    sessions: now.sessions.map((one) => ({ ...one, RoomId: 1 + random.below(4) })),
  })
  step('tracks are assigned', {
    sessions: now.sessions.map((one) => ({ ...one, TrackId: 1 + random.below(4) })),
  })
  step('descriptions are written', {
    sessions: now.sessions.map((one) => ({ ...one, Description: `About ${one.Title}` })),
  })
  const speakers = Array.from({ length: Math.ceil(size * 0.8) }, (_, index) => userOf(index + 1))
  step('speakers are entered', { users: [...now.users, ...speakers] })
  step('speakers are named', {
    sessions: now.sessions.map((one) => ({ ...one, Speakers: [random.pick(speakers).Id] })),
  })
  step(
    'half a day is taken off',
    {
      sessions: now.sessions.filter(({ TimeSlotId }) => TimeSlotId > slots.length - HOURS / 2),
    },
    true,
  )
  now = { ...now, sessions: steps.at(-2)?.records.sessions ?? [] }
  step('it comes back', {})
  step('a track is given up', { sessions: now.sessions.filter(({ TrackId }) => TrackId !== 4) })
  let people = speakers.length
  for (let week = 1; week <= 4; week += 1) {
    const joined = Array.from({ length: size * 2 }, (_, index) => userOf(people + index + 1))
    people += joined.length
    step('people sign up', { users: [...now.users, ...joined] })
    step('people leave, slots move', {
      users: without(now.users, few()),
      sessions: edited(few(), (one) => ({ ...one, TimeSlotId: random.pick(slots).Id })),
    })
    step('speakers cancel', { sessions: without(now.sessions, few()) })
    step('replacements are found', {
      sessions: [...now.sessions, ...Array.from({ length: few() }, () => ({ ...draft('s'), RoomId: 1 }))],
    })
  }
  step('a room is swapped', {
    sessions: now.sessions.map((one) => (one.RoomId === 1 ? { ...one, RoomId: 2 } : one)),
  })
  step('the event is over, its people are cleared', { users: now.users.slice(0, 1) }, true)
  step('the next year', { sessions: Array.from({ length: size }, () => draft('n')) }, true)
  return steps
}

/** What a source may give in place of what it has. */
export const FAULTS: Readonly<Record<string, (records: Records, random: Random) => Records>> = {
  'no session comes': (records) => ({ ...records, sessions: [] }),
  'no user comes': (records) => ({ ...records, users: [] }),
  'half of the sessions come': (records, random) => ({
    ...records,
    sessions: half(records.sessions, random),
  }),
  'half of the users come': (records, random) => ({ ...records, users: half(records.users, random) }),
  'a third of the sessions is missing': (records, random) => ({
    ...records,
    sessions: random.shuffled(records.sessions).slice(Math.ceil(records.sessions.length / 3)),
  }),
  'no time slot comes': (records) => ({ ...records, slots: [] }),
  'titles are hidden': ({ sessions, ...records }) => ({
    ...records,
    sessions: sessions.map(({ Title: _, ...rest }) => rest as Session),
  }),
  'names are hidden': ({ users, ...records }) => ({
    ...records,
    users: users.map(({ LastName: _, ...rest }) => rest as User),
  }),
  'rooms are hidden': (records) => ({ ...records, rooms: [] }),
  'all moves by two hours': ({ slots, ...records }) => ({
    ...records,
    slots: slots.map(({ Id, StartTime, EndTime }) => ({
      Id,
      StartTime: later(StartTime),
      EndTime: later(EndTime),
    })),
  }),
  'another event comes': ({ sessions, users, ...records }) => ({
    ...records,
    sessions: sessions.map((one) => ({
      ...one,
      Id: `x${one.Id}`,
      Title: `Other ${one.Title}`,
      Speakers: [],
    })),
    users: users.map((one) => ({ ...one, Id: `x${one.Id}` })),
  }),
}

function half<Value>(list: readonly Value[], random: Random): readonly Value[] {
  return random.shuffled(list).slice(Math.floor(list.length / 2))
}

function later(time: string): string {
  return new Date(Date.parse(time) + 2 * 3_600_000).toISOString()
}
