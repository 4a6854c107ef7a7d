import { expect, test } from 'vitest'
import { changedSampleEvent, type SampleRecord, sampleEvent } from '../../../pipeline/demo/sample-event.ts'

const { a } = sampleEvent

test('every reference of a session in the sample event leads to an existing record', () => {
  const ids = (records: readonly SampleRecord[], key: string) => new Set(records.map((one) => one[key]))
  const known = [ids(a.Users, 'Id'), ids(a.TimeSlots, 'Id'), ids(a.Rooms, 'Id'), ids(a.Tracks, 'Id')]
  for (const session of [...a.Sessions, ...changedSampleEvent.a.Sessions]) {
    const { Speakers, TimeSlotId, RoomId, TrackId } = session
    const speakers = (Speakers as readonly SampleRecord[]).map(({ Id }) => Id)
    expect([...speakers.map((id) => known[0]?.has(id)), known[1]?.has(TimeSlotId)]).not.toContain(false)
    expect([known[2]?.has(RoomId), known[3]?.has(TrackId)]).toEqual([true, true])
  }
})
