import {
  type SampleEvent,
  type SampleRecord,
  sampleEvent,
  sessionOfA,
  sessionOfB,
  timeOfB,
} from './sample-event.ts'

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

/** The same event a day later. In Source B sessions have no rooms, so nothing moves there. */
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
