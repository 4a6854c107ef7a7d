import {
  type Person,
  type PlannedSession,
  people,
  rooms,
  sampleTimeZone,
  sessions,
  sessionTypes,
  slots,
  speakerCount,
  tracks,
} from './sample-programme.ts'
import type { SourceAData } from './sample-source-a.ts'
import type { SourceBData } from './sample-source-b.ts'

export type SampleRecord = Readonly<Record<string, unknown>>

/** One invented event as both sources serve it, record by record at the same index. */
export interface SampleEvent {
  readonly a: SourceAData<readonly SampleRecord[]>
  readonly b: SourceBData<readonly SampleRecord[]>
  readonly timeZone: string
}

/** The last two attendees have what real events have too: no e-mail address, no id, a cancellation. */
const [withoutAddress, last] = people.slice(-2) as [Person, Person]
const others = people.slice(0, -2)

export const sampleEvent: SampleEvent = {
  a: {
    Sessions: sessions.map(sessionOfA),
    TimeSlots: slots.map(({ id, date, start, end }) => ({
      Id: id,
      StartTime: timeOfA(`${date}T${start}-04:00`),
      EndTime: timeOfA(`${date}T${end}-04:00`),
    })),
    Rooms: rooms.map(({ id, name, location }) => ({ Id: id, Name: name, Location: location })),
    Tracks: tracks.map(({ id, title }) => ({ Id: id, Title: title })),
    SessionTypes: sessionTypes.map(({ id, title }) => ({ Id: id, Title: title })),
    Users: [
      ...others.map(userOfA),
      { ...userOfA(withoutAddress), EmailAddress: null },
      { ...userOfA(last), Id: null, EmailAddress: null },
    ],
  },
  b: {
    sessions: sessions.map(sessionOfB),
    registrants: [
      ...others.map(registrantOfB),
      { ...registrantOfB(withoutAddress), email: null },
      { ...registrantOfB(last), cancelled_at: '2031-02-01 08:15:30' },
    ],
    regTypes: [
      { id: 901, name: 'Attendee' },
      { id: 902, name: 'Speaker' },
    ],
  },
  timeZone: sampleTimeZone,
}

export function sessionOfA(session: PlannedSession): SampleRecord {
  return {
    Id: session.id,
    Title: session.title,
    Description: `<p>${session.title}: bring questions &amp; a coat.</p>`,
    Enabled: true,
    Status: 'Accepted',
    VisibleToAnonymousUsers: true,
    TrackId: session.trackId,
    TimeSlotId: session.slotId,
    RoomId: session.roomId,
    SessionTypeId: session.typeId,
    Speakers: session.speakers.map((id) => ({ Id: id })),
    SpeakerOrder: session.speakers,
    Links: [`https://example.org/sessions/${session.id}`],
  }
}

function userOfA(person: Person): SampleRecord {
  const speakingAt = sessions.filter(({ speakers }) => speakers.includes(person.id))
  const speaks = speakingAt.length > 0
  return {
    Id: person.id,
    FirstName: person.firstName,
    LastName: person.lastName,
    EmailAddress: person.email,
    Title: person.jobTitle,
    Company: person.company,
    Biography: speaks ? bioOf(person) : null,
    PhotoLink: speaks ? `https://images.example.org/people/${person.id}.jpg` : null,
    Twitter: speaks ? `@guest_${person.id}` : null,
    LinkedIn: speaks ? `https://www.linkedin.com/in/guest-${person.id}` : null,
    Facebook: speaks ? `guest.${person.id}` : null,
    Roles: speaks ? 'Attendee|Speaker' : 'Attendee',
    IsPending: false,
    SpeakingAt: speakingAt.map(({ id, title }) => ({ Id: id, Title: title })),
  }
}

function timeOfA(text: string): SampleRecord {
  return { UTC: new Date(text).toISOString().replace('.000', ''), EventTime: text }
}

export function sessionOfB(session: PlannedSession): SampleRecord {
  return {
    id: session.id,
    name: session.title,
    description: `<p>${session.title}: bring questions &amp; a coat.</p>`,
    ...timeOfB(session.slotId),
    timezone: null,
  }
}

/** Source B says when in fields of the session, in the event's own time. */
export function timeOfB(slotId: number): SampleRecord {
  const slot = slots.find(({ id }) => id === slotId)
  return { date: slot?.date, start_time: slot?.start, end_time: slot?.end }
}

function registrantOfB(person: Person): SampleRecord {
  const index = person.id - 7001
  const speaks = index < speakerCount
  const seen = [index % sessions.length, (index * 5 + 3) % sessions.length]
  return {
    id: person.id,
    email: person.email,
    first_name: person.firstName,
    last_name: person.lastName,
    job_title: person.jobTitle,
    company: person.company,
    bio: speaks ? bioOf(person) : '',
    mobile_phone: `+1 202 555 ${String(100 + index).padStart(4, '0')}`,
    twitter_handle: speaks ? `guest_${person.id}` : '',
    reg_type_id: speaks ? 902 : 901,
    session_ids: sessions.flatMap(({ id, speakers }, place) =>
      speakers.includes(person.id) || (!speaks && seen.includes(place)) ? [id] : [],
    ),
    cancelled_at: null,
  }
}

function bioOf({ firstName, company }: Person): string {
  return `${firstName} looks after tide gauges at ${company} – and after the people who depend on them 🙂.`
}
