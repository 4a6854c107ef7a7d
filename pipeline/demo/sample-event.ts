/** Time zone of the invented event, the Tidewater Cities Forum. */
const sampleTimeZone = 'America/New_York'

/**
 * The names contain characters that programs often handle wrongly: quotes, `;`, `=` and letters of other
 * scripts.
 */
const rooms = [
  { id: 301, name: 'Harbour Hall', location: 'Level 1' },
  { id: 302, name: 'Salle Étoile', location: 'Niveau 2' },
  { id: 303, name: '会議室 301', location: '3F' },
  { id: 304, name: '"The Cabin"; Pier 9', location: '' },
] as const

const tracks = [
  { id: 201, title: 'Water & Energy' },
  { id: 202, title: 'Security; Privacy' },
  { id: 203, title: '=Beyond SUM(A1:A9)' },
] as const

const sessionTypes = [
  { id: 101, title: 'Talk' },
  { id: 102, title: 'Workshop' },
  { id: 103, title: '1:1 Meeting' },
] as const

/** On the days of these slots, New York is four hours behind UTC. */
const slots = [
  { id: 401, date: '2031-03-10', start: '09:00:00', end: '09:45:00' },
  { id: 402, date: '2031-03-10', start: '10:00:00', end: '10:45:00' },
  { id: 403, date: '2031-03-10', start: '14:00:00', end: '15:00:00' },
  { id: 404, date: '2031-03-11', start: '09:00:00', end: '10:30:00' },
  { id: 405, date: '2031-03-11', start: '13:00:00', end: '13:45:00' },
  // The time slot below ends at its start time, which is a deliberate mistake. Sessions in a time slot
  // without duration are not synced.
  { id: 406, date: '2031-03-11', start: '16:00:00', end: '16:00:00' },
] as const

export interface PlannedSession {
  readonly id: number
  readonly title: string
  readonly trackId: number
  readonly typeId: number
  readonly roomId: number
  readonly slotId: number
  /** Ids of people, in the order of the programme. */
  readonly speakers: readonly number[]
}

/** The columns are: id, title, [track, type, room, time slot], speakers. */
const sessions: readonly PlannedSession[] = [
  session(5001, 'Who owns flood maps? A panel', [201, 101, 301, 401], [7001, 7002, 7003]),
  session(5002, 'Lessons from ten years of night buses', [202, 101, 302, 401], [7002]),
  session(5003, 'Workshop: tide tables from scratch', [201, 102, 303, 402], [7004]),
  session(5004, '港湾データについての十の質問', [203, 101, 303, 403], [7005, 7001]),
  session(5005, 'Schneller als die Flut – Pegel in der Praxis', [201, 101, 301, 402], [7003]),
  session(5006, 'Cómo cuidar de los árboles (en español)', [203, 101, 302, 403], [7006]),
  session(5007, '“It worked in the pilot”: scaling bridge sensors', [202, 102, 304, 404], [7007, 7004]),
  session(5008, 'Budgeting for storm drains in 2031', [201, 101, 301, 404], [7001]),
  session(5009, 'Ten questions on paper maps 🌊', [203, 101, 304, 405], [7008]),
  session(5010, 'Quiet streets, and what we would do differently', [202, 101, 302, 405], [7005, 7008]),
  session(5011, 'Meet the harbour master', [202, 103, 304, 402], [7001]),
  session(5012, 'Closing words', [203, 101, 301, 406], [7002]),
]

const speakerCount = 8

/** The first people are speakers; the others only attend. The ids of people start at 7001. */
export const people = [
  { firstName: 'Amelia', lastName: 'Ashgrove', company: 'Tidemark Analytics', jobTitle: 'Harbour Master' },
  { firstName: 'Søren', lastName: 'Brøgger', company: 'Møller & Søn A/S', jobTitle: 'Urban Planner' },
  { firstName: 'Käthe', lastName: 'Müßig', company: 'Nordlicht Verkehr GmbH', jobTitle: 'Leiterin Pegel' },
  { firstName: 'Chloé', lastName: 'Desrosiers', company: 'Copperline Transit', jobTitle: 'Data Engineer' },
  { firstName: '美咲', lastName: '高橋', company: '港湾データ株式会社', jobTitle: '主任研究員' },
  { firstName: 'Íñigo', lastName: 'Muñoz-Sáez', company: 'Cooperativa Río Manso', jobTitle: 'Arborista' },
  { firstName: 'Дмитрий', lastName: 'Орлов', company: 'Городской архив', jobTitle: 'Инженер' },
  { firstName: 'Ngozi', lastName: 'Okonjo', company: 'Ada & Bo “Small Tools” Ltd.', jobTitle: 'Researcher' },
  ...[
    ...['Bram Carrow', 'Clara Dunmore', 'Dorian Ellery', 'Esther Fairholm', 'Felix Greaves', 'Łukasz Gołąb'],
    ...['Zofia Źródłowska', 'Jiří Dvořák', 'Anaïs Évrard', 'Loïc Lefèvre', 'Nuño Peñalver', 'Inês Simões'],
    ...['Þóra Sjöström', 'Øystein Hägglund', 'Kwame N’Guessan', 'Thandiwe Mbeki', 'Tariq D’Almeida'],
    ...['Minh Nguyễn', 'Ελένη Παππά', 'Γιώργος Βλάχος', 'ليلى الحداد', 'עמית שלו', '晓雯 陈', '민준 김'],
    ...['प्रिया शर्मा', 'สมชาย ทองดี', 'ნინო ბერიძე', 'ሰላም ተስፋዬ', 'Iris Bellweather', 'Hugo Hartwell'],
  ].map((name) => {
    const [firstName = '', lastName = ''] = name.split(' ')
    return { firstName, lastName, company: 'Open Kerb Foundation', jobTitle: 'City Clerk' }
  }),
].map((person, index) => ({ ...person, id: 7001 + index, email: `guest.${7001 + index}@example.org` }))

export type Person = (typeof people)[number]

function session(
  id: number,
  title: string,
  [trackId, typeId, roomId, slotId]: readonly [number, number, number, number],
  speakers: readonly number[],
): PlannedSession {
  return { id, title, trackId, typeId, roomId, slotId, speakers }
}

export type SampleRecord = Readonly<Record<string, unknown>>

/**
 * One invented event, with the records that each of the two sources has of it. Records at the same index
 * describe the same session or person.
 */
export interface SampleEvent {
  readonly a: Readonly<
    Record<'Sessions' | 'TimeSlots' | 'Rooms' | 'Tracks' | 'SessionTypes' | 'Users', readonly SampleRecord[]>
  >
  readonly b: Readonly<Record<'sessions' | 'registrants' | 'regTypes', readonly SampleRecord[]>>
  readonly timeZone: string
}

/**
 * The last two attendees have gaps that also occur in real events: a missing e-mail address, a missing id and
 * a cancellation.
 */
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

function sessionOfA(session: PlannedSession): SampleRecord {
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

function sessionOfB(session: PlannedSession): SampleRecord {
  return {
    id: session.id,
    name: session.title,
    description: `<p>${session.title}: bring questions &amp; a coat.</p>`,
    ...timeOfB(session.slotId),
    timezone: null,
  }
}

/**
 * Returns the time fields of a session. In Source B, the session itself has the times, in the time zone of
 * the event.
 */
function timeOfB(slotId: number): SampleRecord {
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

export const sampleChange = [
  'two sessions have a new title, one another room (A), one another time',
  'one session is new; nobody is named for it yet',
  'two attendees have cancelled (B)',
  'one session is no longer enabled (A)',
]

const title = 'Added by popular demand: the harbour at night'
const newSession = { id: 5099, title, trackId: 202, typeId: 102, roomId: 303, slotId: 404, speakers: [] }
const cancellation = { cancelled_at: '2031-02-28 16:45:00' }
const { a, b } = sampleEvent

/**
 * The sample event one day later, after some changes. Sessions of Source B have no rooms, so only Source A
 * has a change of room.
 */
export const changedSampleEvent: SampleEvent = {
  ...sampleEvent,
  a: {
    ...a,
    Sessions: [
      ...changed(a.Sessions, 'Id', {
        5002: { Title: 'Lessons from eleven years of night buses' },
        5005: { Title: 'Langsamer als die Flut – Pegel in der Praxis' },
        5006: { RoomId: 301 },
        5008: { TimeSlotId: 405 },
        5009: { Enabled: false },
      }),
      sessionOfA(newSession),
    ],
  },
  b: {
    ...b,
    sessions: [
      ...changed(b.sessions, 'id', {
        5002: { name: 'Lessons from eleven years of night buses' },
        5005: { name: 'Langsamer als die Flut – Pegel in der Praxis' },
        5008: timeOfB(405),
      }),
      sessionOfB(newSession),
    ],
    registrants: changed(b.registrants, 'id', { 7011: cancellation, 7021: cancellation }),
  },
}

function changed(
  records: readonly SampleRecord[],
  key: string,
  changes: Readonly<Record<string, SampleRecord>>,
): readonly SampleRecord[] {
  return records.map((record) => ({ ...record, ...changes[String(record[key])] }))
}
