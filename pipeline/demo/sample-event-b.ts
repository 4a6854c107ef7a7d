import type { PlannedSession, Programme } from './sample-programme.ts'
import type { SourceBData } from './sample-source-b.ts'
import { type SampleRecord, spreadTraps } from './sample-trap.ts'
import { attendeeTrapsOfB, speakerTrapsOfB } from './sample-traps-b-registrants.ts'
import { sessionTrapsOfB } from './sample-traps-b-sessions.ts'
import { rooms, sampleTimeZone, slots, tracks } from './sample-words.ts'

export interface WrittenB {
  readonly data: SourceBData<readonly SampleRecord[]>
  /** indexes of sessions and registrants that show a trap, and of those who have cancelled */
  readonly touched: { readonly sessions: ReadonlySet<number>; readonly people: ReadonlySet<number> }
}

const regTypes = [
  { id: 901, name: 'Attendee' },
  { id: 902, name: 'Speaker' },
  { id: 903, name: 'Press' },
  { id: 904, name: 'Exhibitor' },
] as const

/** Of the people who only attend, about one in so many has cancelled. */
const oneCancelsIn = 29

/** The programme as Source B serves it, traps included. */
export function writeAsB(programme: Programme): WrittenB {
  const { people, speakerCount } = programme
  const sessionIds = [programme.sessions[0]?.id, programme.sessions[1]?.id] as const
  const plain = programme.sessions.map(toSession)
  const sessions = spreadTraps(plain, { from: 2, to: plain.length }, sessionTrapsOfB, {})
  const registrants = people.map((_, index) => toRegistrant(index, programme))
  const speakers = spreadTraps(registrants, { from: 0, to: speakerCount }, speakerTrapsOfB, { sessionIds })
  const attendees = { from: speakerCount, to: registrants.length }
  const everybody = spreadTraps(speakers.elements, attendees, attendeeTrapsOfB, { sessionIds })
  const trapped = new Set([...speakers.touched, ...everybody.touched])
  const cancels = (index: number): boolean =>
    index >= speakerCount && index % oneCancelsIn === 7 && !trapped.has(index)
  return {
    data: {
      sessions: sessions.elements,
      registrants: everybody.elements.map((element, index) =>
        cancels(index) ? { ...element, ...cancellation(index) } : element,
      ),
      regTypes,
    },
    touched: {
      sessions: sessions.touched,
      people: new Set([...trapped, ...people.keys().filter((index) => cancels(index))]),
    },
  }
}

function cancellation(index: number): SampleRecord {
  const day = String(1 + (index % 27)).padStart(2, '0')
  return { cancelled_at: `2031-02-${day} 10:30:00`, registration_status: 'cancelled' }
}

/** Where and when a session takes place, in Source B's fields; the room is no field of the integration. */
export function toPlaceAndTime(slotId: number, roomId: number): SampleRecord {
  const slot = slots.find(({ id }) => id === slotId)
  const room = rooms.find(({ id }) => id === roomId)
  return {
    date: slot?.date ?? null,
    start_time: slot?.start ?? null,
    end_time: slot?.end ?? null,
    location: room === undefined ? null : { id: room.id, name: room.name },
    location_id: room?.id ?? null,
  }
}

function toSession(session: PlannedSession): SampleRecord {
  const track = tracks.find(({ id }) => id === session.trackId)
  return {
    id: session.id,
    event_id: 77,
    name: session.title,
    description: session.description,
    ...toPlaceAndTime(session.slotId, session.roomId),
    use_event_timezone: true,
    // Most sessions leave the zone to the event.
    timezone: session.slotId % 3 === 0 ? sampleTimeZone : null,
    capacity: 40 + (session.roomId % 10) * 20,
    track: track === undefined ? null : { id: track.id, name: track.title },
    track_id: session.trackId,
    type_id: session.typeId,
    notes: null,
  }
}

function toRegistrant(index: number, { people, sessions, speakerCount }: Programme): SampleRecord {
  const person = people[index]
  if (person === undefined) throw new Error(`the programme has no person ${index}`)
  const speaks = index < speakerCount
  return {
    id: person.id,
    event_id: 77,
    email: person.email,
    first_name: person.firstName,
    last_name: person.lastName,
    job_title: person.jobTitle,
    company: person.company,
    bio: person.bio ?? '',
    mobile_phone: person.phone,
    twitter_handle: speaks ? person.handle : '',
    reg_type_id: speaks ? 902 : index % 41 === 0 ? 903 : 901,
    session_ids: person.sessions.flatMap((session) => sessions[session]?.id ?? []),
    waitlisted_session_ids: [],
    registration_status: 'confirmed',
    created_at: `2030-11-${String(1 + (index % 30)).padStart(2, '0')} 12:00:00`,
    cancelled_at: null,
  }
}
