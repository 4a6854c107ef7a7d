import type { Random } from '../../harness/random.ts'
import type { Resources } from '../../harness/serve-records.ts'

export type SourceType = 'a' | 'b'

interface Session {
  readonly id: string
  readonly title: string
  readonly description: string | null
  /** Index of the session's hour in `Organised`. Room and track are indexes too. */
  readonly slot: number
  readonly room: number | null
  readonly track: number | null
  readonly speakers: readonly string[]
  readonly links: readonly string[]
  /** True if the organiser has hidden the session. Only Source A serves hidden sessions. */
  readonly isHidden: boolean
}

interface Person {
  readonly id: string
  readonly isSpeaker: boolean
  readonly isCancelled: boolean
  readonly photo: string | null
  /** Ids of the sessions that the person has chosen. Only Source B serves the ids of chosen sessions. */
  readonly agenda: readonly string[]
}

interface Hour {
  readonly day: number
  readonly hour: number
}

/** The organiser's sessions, people, hours and rooms at one moment. */
export interface Organised {
  readonly sessions: readonly Session[]
  readonly people: readonly Person[]
  readonly slots: readonly Hour[]
  readonly rooms: readonly string[]
}

export interface Step {
  readonly name: string
  readonly organised: Organised
  /** True if so many records ask for their removal that a person must approve the plan. */
  readonly asks: boolean
}

/**
 * A fault: wrong records that the source serves; null if they could not be distinguished from an ordinary
 * change.
 */
export interface Fault {
  readonly name: string
  readonly served: Resources | null
}

const TRACKS = ['Data', 'Design', 'Operations', 'Business']
const HOURS = 8
const SPEAKER = { id: 20, value: 'Speaker' }
const GUEST = { id: 10, value: 'Guest' }

const two = (number: number) => String(number).padStart(2, '0')
const dateOf = ({ day }: Hour) => `2031-05-${two(4 + day)}`
/** Returns the id of a lookup record; these ids begin with 1. */
const idOf = (index: number | null) => (index === null ? null : index + 1)

/** Returns the organiser's data as the records that the source serves. */
export function served(type: SourceType, organised: Organised): Resources {
  return type === 'a' ? servedByA(organised) : servedByB(organised)
}

function servedByA({ sessions, people, slots, rooms }: Organised): Resources {
  const at = (slot: Hour, later: number) => `${dateOf(slot)}T${two(slot.hour + later)}:00:00Z`
  return {
    Sessions: sessions.map((session) => ({
      Id: session.id,
      Title: session.title,
      Description: session.description,
      TimeSlotId: idOf(session.slot),
      RoomId: idOf(session.room),
      TrackId: idOf(session.track),
      SessionTypeId: session.track === null ? null : 1,
      Enabled: !session.isHidden,
      Speakers: session.speakers.map((Id) => ({ Id })),
      Links: session.links,
    })),
    Users: people.map(({ id, photo }) => ({
      Id: id,
      FirstName: 'Ada',
      LastName: `Of ${id}`,
      EmailAddress: `${id}@people.example`,
      PhotoLink: photo,
    })),
    TimeSlots: slots.map((slot, index) => ({ Id: index + 1, StartTime: at(slot, 0), EndTime: at(slot, 1) })),
    Rooms: rooms.map((Name, index) => ({ Id: index + 1, Name })),
    Tracks: TRACKS.map((Title, index) => ({ Id: index + 1, Title })),
    SessionTypes: [{ Id: 1, Title: 'Talk' }],
  }
}

function servedByB({ sessions, people, slots }: Organised): Resources {
  return {
    sessions: sessions.map(({ id, title, description, slot }) => {
      const { hour, ...day } = slots[slot] ?? { day: 0, hour: 9 }
      return {
        id,
        name: title,
        description: description ?? '',
        date: dateOf({ hour, ...day }),
        start_time: `${two(hour)}:00:00`,
        end_time: `${two(hour + 1)}:00:00`,
      }
    }),
    registrants: people.map(({ id, isSpeaker, isCancelled, agenda }) => ({
      id,
      first_name: 'Ada',
      last_name: `Of ${id}`,
      email: `${id}@people.example`,
      reg_type_id: isSpeaker ? SPEAKER : GUEST,
      session_ids: agenda,
      cancelled_at: isCancelled ? '2031-02-01 10:00:00' : null,
    })),
    regTypes: [GUEST, SPEAKER].map(({ id, value }) => ({ id, name: value })),
  }
}

/** Returns the unique IDs of the items that the platform should have. */
export function expectedIds(type: SourceType, { sessions, people }: Organised) {
  const named = new Set(sessions.flatMap(({ speakers }) => speakers))
  return {
    agenda: sessions.filter(({ isHidden }) => !isHidden).map(({ id }) => id),
    speakers: people
      .filter(({ id, isSpeaker }) => (type === 'a' ? named.has(id) : isSpeaker))
      .map(({ id }) => id),
    attendees: people.filter(({ isCancelled }) => !isCancelled).map(({ id }) => id),
  }
}

/**
 * Returns the steps of a year in which an organiser prepares one event.
 *
 * @param size number of sessions in the programme, at least a dozen
 */
export function yearOf(type: SourceType, size: number, random: Random): readonly Step[] {
  const steps: Step[] = []
  let [sessionNumber, personNumber] = [0, 0]
  let now: Organised = {
    sessions: [],
    people: [],
    slots: Array.from({ length: Math.ceil(size / 4) }, (_, index) => {
      return { day: Math.floor(index / HOURS), hour: 9 + (index % HOURS) }
    }),
    rooms: ['Main hall', 'Room 2', 'Room 3', 'Room 4'],
  }
  const step = (name: string, change: Partial<Organised>, asks = false) => {
    now = { ...now, ...change }
    steps.push({ name, organised: now, asks })
  }
  const drafts = (count: number, isHidden = false): readonly Session[] =>
    Array.from({ length: count }, () => {
      sessionNumber += 1
      const none = { description: null, room: null, track: null, speakers: [], links: [] }
      const slot = random.below(now.slots.length)
      return { id: `s${sessionNumber}`, title: `Session ${sessionNumber}`, slot, ...none, isHidden }
    })
  const guests = (count: number, isSpeaker = false): readonly Person[] =>
    Array.from({ length: count }, () => {
      personNumber += 1
      return { id: `p${personNumber}`, isSpeaker, isCancelled: false, photo: null, agenda: [] }
    })
  const some = <Value>(list: readonly Value[], count: number) =>
    new Set(random.shuffled(list).slice(0, count))
  const without = <Value>(list: readonly Value[], count: number) => {
    const gone = some(list, count)
    return list.filter((one) => !gone.has(one))
  }
  const edited = (count: number, edit: (session: Session) => Session) => {
    const chosen = some(now.sessions, count)
    return now.sessions.map((session) => (chosen.has(session) ? edit(session) : session))
  }
  const eachSession = (edit: (session: Session) => Session) => now.sessions.map(edit)
  const eachPerson = (edit: (person: Person) => Person) => now.people.map(edit)
  const few = () => 1 + random.below(Math.max(2, Math.round(size / 20)))

  step('sample data', { sessions: drafts(3), people: guests(2) })
  step('the sample data is replaced', { sessions: drafts(Math.ceil(size / 4)), people: guests(3) })
  for (let part = 2; part <= 4; part += 1)
    step('sessions are added', { sessions: [...now.sessions, ...drafts(Math.ceil(size / 4))] })
  step('titles are edited', { sessions: edited(few(), (one) => ({ ...one, title: `${one.title}, edited` })) })
  step('drafts are thrown away', { sessions: without(now.sessions, few()) })
  step('descriptions are written', {
    sessions: eachSession((one) => ({ ...one, description: `About ${one.title}` })),
  })
  if (type === 'a') {
    step('rooms are assigned', {
      sessions: eachSession((one) => ({ ...one, room: random.chance(0.7) ? 0 : 1 + random.below(3) })),
    })
    step('tracks and types are assigned', {
      sessions: eachSession((one) => ({ ...one, track: random.below(TRACKS.length) })),
    })
  }
  const speakers = guests(Math.ceil(size * 0.8), true)
  step('speakers are entered', { people: [...now.people, ...speakers] })
  const named = () => [...some(speakers, 1 + random.below(2))].map(({ id }) => id)
  const hidden = type === 'a' ? drafts(size, true) : []
  if (type === 'a') {
    step('speakers are named for half of the programme', {
      sessions: [
        ...eachSession((one) => ({ ...one, speakers: named() })),
        ...hidden.map((one) => ({ ...one, speakers: named() })),
      ],
    })
    step('pictures arrive', {
      people: eachPerson((one) => ({ ...one, photo: `https://pictures.example/${one.id}.png` })),
    })
    step('the programme is published', { sessions: eachSession((one) => ({ ...one, isHidden: false })) })
  }
  step('people sign up', { people: [...now.people, ...guests(size * 2)] })
  const busy = now.sessions[0]?.id ?? ''
  const choice = () => [...some(now.sessions, 3)].map(({ id }) => id)
  if (type === 'b') {
    step('speakers get their sessions', {
      people: eachPerson((one) => (one.isSpeaker ? { ...one, agenda: choice().slice(0, 1) } : one)),
    })
    step('sign-up for sessions opens', {
      people: eachPerson((one) => ({
        ...one,
        agenda: [...new Set([...one.agenda, ...choice(), ...(random.chance(0.7) ? [busy] : [])])],
      })),
    })
    const before = now
    step('a busy session leaves', { sessions: now.sessions.filter(({ id }) => id !== busy) })
    step('it returns', before)
  }
  for (let week = 1; week <= 5; week += 1) {
    step('more people sign up', { people: [...now.people, ...guests(size)] })
    step('people leave', {
      people:
        type === 'a'
          ? without(now.people, few())
          : [...some(now.people, few())].reduce<readonly Person[]>(
              (people, gone) => people.map((one) => (one === gone ? { ...one, isCancelled: true } : one)),
              now.people,
            ),
    })
    step('sessions are moved', {
      sessions: edited(few(), (one) => ({ ...one, slot: random.below(now.slots.length) })),
    })
    step('speakers cancel', {
      sessions: [...some(now.sessions, few())].reduce(
        (left, gone) => left.filter((one) => one !== gone || one.id === busy),
        now.sessions,
      ),
    })
    step('replacements are found', { sessions: [...now.sessions, ...drafts(few())] })
    if (type === 'b')
      step('people choose more sessions', {
        people: eachPerson((one) => ({ ...one, agenda: [...new Set([...one.agenda, ...choice()])] })),
      })
  }
  if (type === 'b')
    step('a third of the people is cancelled', {
      people: [...some(now.people, Math.floor(now.people.length / 3))].reduce<readonly Person[]>(
        (left, gone) => left.map((one) => (one === gone ? { ...one, isCancelled: true } : one)),
        now.people,
      ),
    })
  step('a handful of sessions is dropped', {
    sessions: without(now.sessions, Math.min(5, Math.floor(now.sessions.length * 0.28))),
  })
  if (type === 'a') {
    step('the main hall is renamed', {
      rooms: now.rooms.map((name, index) => (index === 0 ? 'Great hall' : name)),
    })
    step('slides are added', {
      sessions: eachSession((one) => ({ ...one, links: [`https://slides.example/${one.id}`] })),
    })
    step('recordings are added', {
      sessions: eachSession((one) => ({ ...one, links: [...one.links, `https://video.example/${one.id}`] })),
    })
    const before = now.sessions
    step(
      'a rework is hidden',
      { sessions: eachSession((one) => ({ ...one, isHidden: true })) },
      now.sessions.filter(({ isHidden }) => !isHidden).length >= LEAST_ASKED,
    )
    step('it is shown again', {
      sessions: before.map((one, index) => (index % 3 === 0 ? { ...one, title: `${one.title}, new` } : one)),
    })
  }
  const [first] = now.slots
  if (first !== undefined)
    step('an hour is moved', { slots: [{ ...first, hour: 20 }, ...now.slots.slice(1)] })
  step('the event is over, and nothing changes', {})
  const living = now.people.filter(({ isCancelled }) => !isCancelled).length
  if (type === 'b')
    step(
      'the whole event is cancelled',
      { people: eachPerson((one) => ({ ...one, isCancelled: true })) },
      living >= LEAST_ASKED,
    )
  step('nothing changes any more', {})
  return steps
}

/**
 * If a content has at least this many items on the platform, a person must approve the removal of most of
 * these items in one run.
 */
const LEAST_ASKED = 20

/**
 * A field with fewer values than this gets no fault that empties it, because such a fault could not be
 * distinguished from an edit.
 */
const LEAST_FILLED = 20

/**
 * Returns possible faults of the source. Each fault affects so many records that it can be distinguished from
 * an edit.
 */
export function faultsOf(type: SourceType, organised: Organised, random: Random): readonly Fault[] {
  const { sessions, people, slots } = organised
  const good = served(type, organised)
  const ofSessions = type === 'a' ? 'Sessions' : 'sessions'
  const ofPeople = type === 'a' ? 'Users' : 'registrants'
  const given = (changes: Resources): Resources => ({ ...good, ...changes })
  const half = (name: string): Resources => {
    const list = good[name] ?? []
    return { [name]: random.shuffled(list).slice(Math.ceil(list.length / 2)) }
  }
  const without = (name: string, key: string, value: unknown): Resources => ({
    [name]: (good[name] ?? []).map((one) => ({ ...(one as object), [key]: value })),
  })
  const other = (name: string, key: string): Resources => ({
    [name]: (good[name] ?? []).map((one) => {
      const record = one as Readonly<Record<string, unknown>>
      return { ...record, [key]: `x${record[key]}` }
    }),
  })
  const filled = (values: readonly unknown[]) =>
    values.filter((value) => value !== null).length >= LEAST_FILLED
  const where = (isTold: boolean, changes: Resources) => (isTold ? given(changes) : null)
  const moved = served(type, {
    ...organised,
    slots: slots.map(({ day, hour }) => ({ day, hour: hour - 2 })),
  })
  const common: readonly Fault[] = [
    { name: 'no session comes', served: given({ [ofSessions]: [] }) },
    { name: 'no person comes', served: given({ [ofPeople]: [] }) },
    { name: 'half of the sessions come', served: given(half(ofSessions)) },
    { name: 'half of the people come', served: given(half(ofPeople)) },
    { name: 'all times are two hours early', served: moved },
    {
      name: 'descriptions are blank',
      served: where(
        filled(sessions.filter(({ isHidden }) => !isHidden).map(({ description }) => description)),
        without(ofSessions, type === 'a' ? 'Description' : 'description', null),
      ),
    },
    { name: 'titles are blank', served: given(without(ofSessions, type === 'a' ? 'Title' : 'name', null)) },
    {
      name: 'names are blank',
      served: given(without(ofPeople, type === 'a' ? 'LastName' : 'last_name', null)),
    },
    {
      name: 'another event comes',
      served: given({
        ...other(ofSessions, type === 'a' ? 'Id' : 'id'),
        ...other(ofPeople, type === 'a' ? 'Id' : 'id'),
      }),
    },
  ]
  const shown = sessions.filter(({ isHidden }) => !isHidden)
  const isTyped = ({ track }: Session) => track !== null
  const ofA: readonly Fault[] = [
    {
      name: 'no session says whether it is hidden',
      served: where(
        sessions.some(({ isHidden }) => isHidden),
        without('Sessions', 'Enabled', null),
      ),
    },
    {
      name: 'the type of sessions is called as meetings are',
      served: where(shown.length >= LEAST_ASKED && shown.every(isTyped), {
        SessionTypes: [{ Id: 1, Title: 'One-to-one meeting' }],
      }),
    },
    {
      name: 'all sessions are hidden',
      served: where(shown.length >= LEAST_ASKED, without('Sessions', 'Enabled', false)),
    },
    { name: 'no time slot comes', served: given({ TimeSlots: [] }) },
    {
      name: 'no room comes',
      served: where(
        sessions.some(({ room }) => room !== null),
        { Rooms: [] },
      ),
    },
    {
      name: 'no track comes',
      served: where(
        sessions.some(({ track }) => track !== null),
        { Tracks: [] },
      ),
    },
    {
      name: 'pictures are blank',
      served: where(filled(people.map(({ photo }) => photo)), without(ofPeople, 'PhotoLink', null)),
    },
  ]
  const living = people.filter(({ isCancelled }) => !isCancelled)
  const speaking = people.filter(({ isSpeaker }) => isSpeaker)
  const ofB: readonly Fault[] = [
    {
      name: 'registrants have no type',
      served: where(speaking.length > 0, without('registrants', 'reg_type_id', null)),
    },
    {
      name: 'the types of registrants are objects without anything',
      served: where(speaking.length > 0, without('registrants', 'reg_type_id', {})),
    },
    {
      name: 'all are cancelled by a date',
      served: where(
        living.length >= LEAST_ASKED,
        without('registrants', 'cancelled_at', '2031-01-01 00:00:00'),
      ),
    },
    {
      name: 'everybody is a guest',
      served: where(speaking.length >= LEAST_ASKED, without('registrants', 'reg_type_id', GUEST)),
    },
    {
      name: 'nobody is cancelled',
      served: where(
        people.length - living.length >= LEAST_FILLED,
        without('registrants', 'cancelled_at', null),
      ),
    },
    {
      name: 'no speaker type comes',
      served: where(
        people.some(({ isSpeaker }) => isSpeaker),
        {
          registrants: people.map((person, index) => ({
            ...(good.registrants?.[index] as object),
            reg_type_id: person.isSpeaker ? { id: 30, value: 'Presenter' } : GUEST,
          })),
          regTypes: [
            { id: 10, name: 'Guest' },
            { id: 30, name: 'Presenter' },
          ],
        },
      ),
    },
  ]
  return [...common, ...(type === 'a' ? ofA : ofB)]
}
