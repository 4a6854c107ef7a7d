import { makeRandom } from '../harness/random.ts'

const givenNames = 'Amelia Bram Chloé Дмитрий Esther Søren 美咲 Ngozi Íñigo Iris'.split(' ')
const familyNames = 'Ashgrove Bellweather Desrosiers Орлов Müßig Okonjo 高橋 Carrow'.split(' ')
const companies = ['Tidemark Analytics', 'Nordlicht Verkehr GmbH', 'Blue Heron Maps', 'Møller & Søn A/S']
const jobTitles = 'Data Engineer|Urban Planner|Senior Researcher|Head of Operations|Student'.split('|')
const SEED = 2031
const bio = 'Works on timetables, maps and the people who read them; likes short meetings.'

/** The size of an event besides its number of registrants. */
export interface EventShape {
  readonly sessions: number
  readonly speakersInHundred: number
}

/**
 * Makes registrants of Source B for benchmarks, with about 450 bytes of JSON each. Most registrants are
 * ordinary; one in 25 has cancelled, and one in 50 has its sessions in a string instead of a list.
 *
 * Each registrant is made on demand from its index alone, so that a million registrants are never in memory
 * together. Registrants and sessions are numbered from 1; these numbers are their ids.
 */
export function* registrantsOf(count: number, shape: EventShape) {
  for (let index = 0; index < count; index += 1) yield registrantAt(index, shape)
}

/** Returns the sessions to which registrants refer; these sessions have no special cases. */
export function sessionsOf({ sessions }: EventShape) {
  return Array.from({ length: sessions }, (_, index) => ({
    id: index + 1,
    name: `Session ${index + 1}`,
    description: '<p>About timetables.</p>',
    date: `2031-03-${10 + (index % 4)}`,
    start_time: `${String(9 + (index % 8)).padStart(2, '0')}:00:00`,
    end_time: `${String(9 + (index % 8)).padStart(2, '0')}:45:00`,
    timezone: null,
  }))
}

const SPEAKER_TYPE = 902
export const regTypes = [
  { id: SPEAKER_TYPE, name: 'Speaker' },
  { id: 901, name: 'Attendee' },
]

/**
 * Makes the people of `registrantsOf` again, as users of Source A. Users who are speakers list their
 * sessions.
 */
export function* usersOf(count: number, shape: EventShape) {
  for (const person of registrantsOf(count, shape))
    yield {
      Id: person.id,
      FirstName: person.first_name,
      LastName: person.last_name,
      EmailAddress: person.email,
      Title: person.job_title,
      Company: person.company,
      Biography: person.bio,
      PhotoLink: null,
      IsPending: false,
      SpeakingAt: sessionsBy(person).map((Id) => ({ Id })),
    }
}

/** Returns the event in the form of Source A: all resources except users, by the last part of their path. */
export function eventOfA(count: number, shape: EventShape): Readonly<Record<string, readonly unknown[]>> {
  const sessions = sessionsOf(shape)
  const speakers = Array.from(sessions, (): { Id: number }[] => [])
  for (const person of registrantsOf(count, shape))
    for (const session of sessionsBy(person)) speakers[session - 1]?.push({ Id: person.id })
  const slots = new Map(sessions.map(({ date, start_time, end_time }) => [`${date} ${start_time}`, end_time]))
  const slotIds = new Map([...slots.keys()].map((start, index) => [start, index + 1]))
  return {
    Sessions: sessions.map(({ id, name, description, date, start_time }, index) => ({
      Id: id,
      Title: name,
      Description: description,
      TimeSlotId: slotIds.get(`${date} ${start_time}`),
      RoomId: 1,
      TrackId: 1,
      SessionTypeId: 1,
      Speakers: speakers[index],
    })),
    TimeSlots: [...slots].map(([start, end], index) => ({
      Id: index + 1,
      StartTime: start.replace(' ', 'T'),
      EndTime: `${start.slice(0, 10)}T${end}`,
    })),
    Rooms: [{ Id: 1, Name: 'Hall', Location: 'Ground floor' }],
    Tracks: [{ Id: 1, Title: 'Timetables' }],
    SessionTypes: [{ Id: 1, Title: 'Talk' }],
  }
}

function sessionsBy({ reg_type_id: type, session_ids: ids }: ReturnType<typeof registrantAt>): number[] {
  if (type !== SPEAKER_TYPE) return []
  return [...new Set(typeof ids === 'string' ? ids.split(',').map(Number) : ids)]
}

function registrantAt(index: number, shape: EventShape) {
  const random = makeRandom(Math.imul(SEED ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35))
  const kind = random.below(100)
  const sessions = Array.from({ length: 1 + random.below(4) }, () => 1 + random.below(shape.sessions))
  const isCancelled = kind < 4
  return {
    id: index + 1,
    event_id: 77,
    email: `guest.${index + 1}@example.com`,
    first_name: random.pick(givenNames),
    last_name: random.pick(familyNames),
    job_title: random.pick(jobTitles),
    company: random.pick(companies),
    bio,
    mobile_phone: `+1 202 555 01${10 + random.below(90)}`,
    twitter_handle: '',
    reg_type_id: kind >= 100 - shape.speakersInHundred ? SPEAKER_TYPE : 901,
    session_ids: kind === 10 || kind === 11 ? sessions.join(',') : sessions,
    waitlisted_session_ids: [],
    registration_status: isCancelled ? 'cancelled' : 'confirmed',
    created_at: '2030-11-05 12:00:00',
    cancelled_at: isCancelled ? '2031-02-01 08:15:30' : null,
  }
}
