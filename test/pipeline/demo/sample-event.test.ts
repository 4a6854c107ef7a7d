import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeSampleEvent, registrantsOf } from '../../../pipeline/demo/sample-event.ts'
import { changeSampleEvent, sampleChange } from '../../../pipeline/demo/sample-event-change.ts'

const event = makeSampleEvent()

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

test('the same seed gives the same bytes, another seed others', () => {
  expect(hashOf(makeSampleEvent())).toBe(hashOf(event))
  expect(hashOf(makeSampleEvent({ seed: 1 }))).not.toBe(hashOf(event))
  expect(hashOf(changeSampleEvent(makeSampleEvent()))).toBe(hashOf(changeSampleEvent(event)))
})

test('the event is as large as asked for, in both sources', () => {
  expect(event.a.Sessions).toHaveLength(200)
  expect(event.b.sessions).toHaveLength(200)
  expect(event.a.Users).toHaveLength(2000)
  expect(event.b.registrants).toHaveLength(2000)
  const speakers = event.b.registrants.filter(({ twitter_handle }) => twitter_handle !== '')
  expect(speakers).toHaveLength(150)
  const small = makeSampleEvent({ sessions: 12, speakers: 8, registrants: 30 })
  expect(small.a.Sessions).toHaveLength(12)
  expect(small.b.registrants).toHaveLength(30)
})

test('every speaker speaks, and the ordinary ones are named by both sides', () => {
  const named = new Set(
    event.a.Sessions.flatMap(({ Speakers }) => (Array.isArray(Speakers) ? Speakers : [])).map((speaker) =>
      JSON.stringify(speaker.Id),
    ),
  )
  const speaking = event.a.Users.slice(0, 150).filter(
    ({ SpeakingAt }) => Array.isArray(SpeakingAt) && SpeakingAt.length > 0,
  )
  expect(speaking.length).toBeGreaterThan(140)
  expect(speaking.filter(({ Id }) => named.has(JSON.stringify(Id))).length).toBeGreaterThan(125)
})

test('nearly every title is one of its kind', () => {
  expect(new Set(event.a.Sessions.map(({ Title }) => Title)).size).toBeGreaterThan(190)
})

test('both sources tell of the same event: ids, titles and times agree where nothing is amiss', () => {
  for (const index of event.ordinary.sessions) {
    const [a, b] = [event.a.Sessions[index], event.b.sessions[index]]
    expect([b?.id, b?.name, b?.description]).toEqual([a?.Id, a?.Title, a?.Description])
    const slot = event.a.TimeSlots.find(({ Id }) => Id === a?.TimeSlotId)
    expect(slot?.StartTime).toMatchObject({ EventTime: `${b?.date}T${b?.start_time}-04:00` })
    expect(slot?.EndTime).toMatchObject({ EventTime: `${b?.date}T${b?.end_time}-04:00` })
  }
  for (const index of event.ordinary.attendees) {
    const [a, b] = [event.a.Users[index], event.b.registrants[index]]
    expect([b?.id, b?.email, b?.last_name]).toEqual([a?.Id, a?.EmailAddress, a?.LastName])
    expect(b?.cancelled_at).toBeNull()
  }
  expect(event.ordinary.sessions.length).toBeGreaterThan(80)
  expect(event.ordinary.attendees.length).toBeGreaterThan(1500)
})

test('e-mail addresses and hosts are reserved ones, dates are in 2031', () => {
  const text = JSON.stringify([event.a, event.b])
  const hosts = [...text.matchAll(/[A-Za-z0-9.]+@([a-z.]+\.[a-z]+)/g)].map(([, host]) => host)
  expect(new Set(hosts)).toEqual(new Set(['example.com', 'example.org']))
  const years = event.b.sessions.map(({ date }) => String(date).slice(0, 4))
  expect(new Set(years)).toEqual(new Set(['2031', 'null', '', '0000']))
})

test('a day later, only what is announced has changed', () => {
  const later = changeSampleEvent(event)
  const changes = { titles: 0, rooms: 0, slots: 0, disabled: 0, cancelled: 0 }
  for (const [index, before] of event.a.Sessions.entries()) {
    const after = later.a.Sessions[index]
    if (after?.Title !== before.Title) changes.titles += 1
    if (after?.RoomId !== before.RoomId) changes.rooms += 1
    if (after?.TimeSlotId !== before.TimeSlotId) changes.slots += 1
    if (after?.Enabled !== before.Enabled) changes.disabled += 1
  }
  for (const [index, before] of event.b.registrants.entries()) {
    if (later.b.registrants[index]?.cancelled_at !== before.cancelled_at) changes.cancelled += 1
  }
  expect(changes).toEqual({
    titles: sampleChange.retitledSessions,
    rooms: sampleChange.movedSessions,
    slots: sampleChange.rescheduledSessions,
    disabled: sampleChange.disabledSessions,
    cancelled: sampleChange.cancelledRegistrants,
  })
  const { retitledSessions, movedSessions, rescheduledSessions, disabledSessions } = sampleChange
  const differing = (before: readonly unknown[], after: readonly unknown[]) =>
    before.filter((element, index) => JSON.stringify(element) !== JSON.stringify(after[index])).length
  expect(differing(event.a.Sessions, later.a.Sessions)).toBe(
    retitledSessions + movedSessions + rescheduledSessions + disabledSessions,
  )
  expect(differing(event.b.sessions, later.b.sessions)).toBe(
    retitledSessions + movedSessions + rescheduledSessions,
  )
  expect(differing(event.b.registrants, later.b.registrants)).toBe(sampleChange.cancelledRegistrants)
  expect(later.a.Users).toBe(event.a.Users)
  expect(later.a.Sessions).toHaveLength(201)
  expect(later.b.sessions).toHaveLength(201)
  expect(later.a.Sessions.at(-1)?.Title).toBe(later.b.sessions.at(-1)?.name)
})

test('sessions that get another time get it in B too', () => {
  const later = changeSampleEvent(event)
  const clock = (session: Readonly<Record<string, unknown>> | undefined) =>
    [session?.date, session?.start_time, session?.end_time].join(' ')
  const moved = event.b.sessions.filter((session, index) => clock(session) !== clock(later.b.sessions[index]))
  expect(moved).toHaveLength(sampleChange.rescheduledSessions)
})

test('an event too small to change says so', () => {
  const tiny = makeSampleEvent({ sessions: 5, speakers: 3, registrants: 10 })
  expect(() => changeSampleEvent(tiny)).toThrow(/ordinary sessions/)
})

test('registrants for benchmarks are the same however they are reached', () => {
  const list = registrantsOf(1000, 7)
  const all = [...list]
  expect(all).toHaveLength(1000)
  expect(list.at(999)).toEqual(all[999])
  expect(list.at(1000)).toBeUndefined()
  expect(hashOf([...registrantsOf(1000, 7)])).toBe(hashOf(all))
  expect(hashOf([...registrantsOf(1000, 8)])).not.toBe(hashOf(all))
  const bytes = Buffer.byteLength(JSON.stringify(all)) / 1000
  expect(bytes).toBeGreaterThan(400)
  expect(bytes).toBeLessThan(520)
})

test('registrants for benchmarks are cheap to make', () => {
  const before = performance.now()
  let count = 0
  for (const _ of registrantsOf(200_000)) count += 1
  expect(count).toBe(200_000)
  // 0.15 s as a rule; the bound leaves room for a busy machine.
  expect(performance.now() - before).toBeLessThan(2000)
})
