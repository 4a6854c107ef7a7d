import type { SampleEvent } from './sample-event.ts'
import { toPlaceAndTime } from './sample-event-b.ts'
import type { SampleRecord } from './sample-trap.ts'
import { rooms, slots } from './sample-words.ts'

/** What `changeSampleEvent` changes, for people to read and tests to count. */
export const sampleChange = {
  retitledSessions: 3,
  /** Source A only: Source B's rooms are no field of the integration, so its platform items stay */
  movedSessions: 2,
  rescheduledSessions: 2,
  newSessions: 1,
  /** Source B only: `cancelled_at` is set, of people who only attend */
  cancelledRegistrants: 3,
  /** Source A only: `Enabled` becomes false; their speakers lose them from their session lists */
  disabledSessions: 2,
  text: [
    'three sessions have a new title, two another room (A), two another time',
    'one session is new; nobody is named for it yet',
    'three attendees have cancelled (B)',
    'two sessions are no longer enabled (A)',
  ],
} as const

const newSession = {
  id: 6999,
  title: 'Added by popular demand: the harbour at night',
  description: 'A walk, weather permitting. Warm clothes; no slides.',
  trackId: 202,
  typeId: 103,
  roomId: 309,
  slotId: 416,
} as const

/**
 * The same event a day later, for showing a second sync. Only sessions and people that show no trap change, so
 * that every change is one the platform should see. Made for a fresh event: change it once.
 */
export function changeSampleEvent(event: SampleEvent): SampleEvent {
  const { retitledSessions, movedSessions, rescheduledSessions, disabledSessions } = sampleChange
  const count = retitledSessions + movedSessions + rescheduledSessions + disabledSessions
  const chosen = pickEvenly(event.ordinary.sessions, count, 'sessions')
  const cancelled = pickEvenly(event.ordinary.attendees, sampleChange.cancelledRegistrants, 'attendees')
  const retitled = chosen.slice(0, retitledSessions)
  const moved = chosen.slice(retitledSessions, retitledSessions + movedSessions)
  const rescheduled = chosen.slice(retitledSessions + movedSessions, count - disabledSessions)
  const disabled = chosen.slice(count - disabledSessions)

  let Sessions = event.a.Sessions
  let sessions = event.b.sessions
  for (const index of retitled) {
    Sessions = changeAt(Sessions, index, ({ Title }) => modified({ Title: `Revised: ${Title}` }))
    sessions = changeAt(sessions, index, ({ name }) => ({ name: `Revised: ${name}` }))
  }
  for (const index of [...moved, ...rescheduled]) {
    const { RoomId, TimeSlotId } = event.a.Sessions[index] ?? {}
    const roomId = moved.includes(index) ? otherThan(RoomId, rooms) : Number(RoomId)
    const slotId = moved.includes(index) ? Number(TimeSlotId) : otherThan(TimeSlotId, slots)
    Sessions = changeAt(Sessions, index, () => modified({ RoomId: roomId, TimeSlotId: slotId }))
    sessions = changeAt(sessions, index, () => toPlaceAndTime(slotId, roomId))
  }
  for (const index of disabled) Sessions = changeAt(Sessions, index, () => modified({ Enabled: false }))

  const cancellation = { cancelled_at: '2031-02-28 16:45:00', registration_status: 'cancelled' }
  const registrants = cancelled.reduce(
    (changed, index) => changeAt(changed, index, () => cancellation),
    event.b.registrants,
  )
  return {
    ...event,
    a: { ...event.a, Sessions: [...Sessions, newSessionOfA()] },
    b: { ...event.b, sessions: [...sessions, newSessionOfB()], registrants },
  }
}

function newSessionOfA(): SampleRecord {
  return {
    Id: newSession.id,
    Title: newSession.title,
    Description: newSession.description,
    Enabled: true,
    Status: 'Accepted',
    VisibleToAnonymousUsers: true,
    Code: 'TCF-NEW',
    TrackId: newSession.trackId,
    TimeSlotId: newSession.slotId,
    RoomId: newSession.roomId,
    SessionTypeId: newSession.typeId,
    Speakers: [],
    SpeakerOrder: [],
    Links: null,
    ...modified({ PropertyValues: [] }),
  }
}

function newSessionOfB(): SampleRecord {
  const { id, title, description, slotId, roomId } = newSession
  return { id, event_id: 77, name: title, description, ...toPlaceAndTime(slotId, roomId), timezone: null }
}

function modified(fields: SampleRecord): SampleRecord {
  return { ...fields, LastModified: '2031-02-28T16:45:00Z' }
}

function changeAt(
  elements: readonly SampleRecord[],
  index: number,
  change: (element: SampleRecord) => SampleRecord,
): readonly SampleRecord[] {
  return elements.map((element, at) => (at === index ? { ...element, ...change(element) } : element))
}

/** The next room or time slot in its list, the first after the last. */
function otherThan(id: unknown, list: readonly { readonly id: number }[]): number {
  const next = list[(list.findIndex((each) => each.id === id) + 1) % list.length]
  return next?.id ?? Number(id)
}

function pickEvenly(indexes: readonly number[], count: number, what: string): readonly number[] {
  if (indexes.length < count) {
    throw new Error(
      `the sample event has ${indexes.length} ordinary ${what}, ${count} are to change; make it larger`,
    )
  }
  return Array.from({ length: count }, (_, turn) => indexes[Math.floor((turn * indexes.length) / count)] ?? 0)
}
