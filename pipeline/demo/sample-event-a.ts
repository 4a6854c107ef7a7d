import type { PlannedSession, Programme } from './sample-programme.ts'
import type { SourceAData } from './sample-source-a.ts'
import { idText, type SampleRecord, spreadTraps } from './sample-trap.ts'
import { sessionTrapsOfA } from './sample-traps-a-sessions.ts'
import { attendeeTrapsOfA, speakerTrapsOfA } from './sample-traps-a-users.ts'
import { rooms, type Slot, sessionTypes, slotOffset, slots, tracks } from './sample-words.ts'

export interface WrittenA {
  readonly data: SourceAData<readonly SampleRecord[]>
  /** indexes of sessions and users that show a trap */
  readonly touched: { readonly sessions: ReadonlySet<number>; readonly people: ReadonlySet<number> }
}

const firstTrapSlotId = 451

/** The programme as Source A serves it, traps included. */
export function writeAsA(programme: Programme): WrittenA {
  const trapSlots: SampleRecord[] = []
  const addTimeSlot = (start: unknown, end: unknown): number => {
    const Id = firstTrapSlotId + trapSlots.length
    trapSlots.push({ Id, StartTime: start, EndTime: end })
    return Id
  }
  const { people, speakerCount } = programme
  const userIds = [people[0]?.id, people[1]?.id] as const
  const sessionId = programme.sessions[0]?.id

  const plain = programme.sessions.map((session) => toSession(session, programme))
  const everySession = { from: 0, to: plain.length }
  const sessions = spreadTraps(plain, everySession, sessionTrapsOfA, { addTimeSlot, userIds })

  const users = people.map((_, index) => toUser(index, programme))
  const speakers = spreadTraps(users, { from: 2, to: speakerCount }, speakerTrapsOfA, { sessionId })
  const attendees = { from: speakerCount, to: users.length }
  const everybody = spreadTraps(speakers.elements, attendees, attendeeTrapsOfA, { sessionId })

  return {
    data: {
      Sessions: sessions.elements,
      TimeSlots: [...slots.map(toTimeSlot), ...trapSlots],
      // Of two lookups with one id the later counts: the first room and track stand here under an old name too.
      Rooms: [
        { Id: 301, Name: 'Old Hall', Location: 'Closed' },
        { Id: 302, Name: 'Salle B' },
        ...rooms.map(toRoom),
      ],
      Tracks: [{ Id: 201, Title: 'Water' }, ...tracks.map(({ id, title }) => ({ Id: id, Title: title }))],
      SessionTypes: sessionTypes.map(({ id, key, title }) => ({ Id: id, [key]: title })),
      Users: everybody.elements,
    },
    touched: { sessions: sessions.touched, people: new Set([...speakers.touched, ...everybody.touched]) },
  }
}

function toSession(session: PlannedSession, { people }: Programme): SampleRecord {
  const speakers = session.speakers.flatMap((index) => people[index] ?? [])
  return {
    Id: session.id,
    Title: session.title,
    Description: session.description,
    Enabled: true,
    Status: 'Accepted',
    VisibleToAnonymousUsers: true,
    Code: `TCF-${session.trackId}-${idText(session.id).slice(-4)}`,
    TrackId: session.trackId,
    TimeSlotId: session.slotId,
    RoomId: session.roomId,
    SessionTypeId: session.typeId,
    Speakers: speakers.map((person) => ({
      Id: person.id,
      FirstName: person.firstName,
      LastName: person.lastName,
      Title: person.jobTitle,
      Company: person.company,
    })),
    SpeakerOrder: speakers.map((person) => idText(person.id)),
    Links: null,
    LastModified: '2031-01-15T10:20:30Z',
    PropertyValues: [],
  }
}

function toUser(index: number, { people, sessions, speakerCount }: Programme): SampleRecord {
  const person = people[index]
  if (person === undefined) throw new Error(`the programme has no person ${index}`)
  const speaks = index < speakerCount
  const speakingAt = speaks ? person.sessions.flatMap((session) => sessions[session] ?? []) : []
  return {
    Id: person.id,
    FirstName: person.firstName,
    LastName: person.lastName,
    EmailAddress: person.email,
    Title: person.jobTitle,
    Company: person.company,
    Biography: person.bio,
    PhotoLink: speaks ? `https://images.example.org/people/${idText(person.id)}.jpg` : null,
    Website: null,
    Twitter: speaks ? `@${person.handle}` : null,
    LinkedIn: speaks ? `https://www.linkedin.com/in/${person.handle}` : null,
    Facebook: null,
    Blog: null,
    Roles: speaks ? 'Attendee|Speaker' : 'Attendee',
    IsPending: false,
    ProfileIsPublic: true,
    SpeakingAt: speakingAt.map(({ id, title }) => ({ Id: id, Title: title })),
  }
}

/** A time slot in the ordinary form: both times, the event's own with its offset. */
function toTimeSlot({ id, date, start, end }: Slot): SampleRecord {
  const time = (clock: string) => {
    const text = `${date}T${clock}${slotOffset}`
    return { UTC: new Date(text).toISOString().replace('.000', ''), EventTime: text }
  }
  return { Id: id, StartTime: time(start), EndTime: time(end) }
}

function toRoom({ id, name, location }: (typeof rooms)[number]): SampleRecord {
  return { Id: id, Name: name, Location: location }
}
