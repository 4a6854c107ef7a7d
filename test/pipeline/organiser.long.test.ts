import { expect, test } from 'vitest'
import type { Resources } from '../harness/serve-records.ts'
import { ids } from '../support/runs.ts'
import { useDatabase } from '../support/use-database.ts'
import type { Setup } from '../traps/sync.ts'
import { aSession, aUser, SLOT_0 } from '../traps/traps-of-a.ts'
import { bRegistrant, bSession, TYPES } from '../traps/traps-of-b.ts'
import { serveIntegration } from './guarded-integration.ts'

// What an organiser does to many items at once in the course of a year: whole runs. The guards' tests have the limits.

const database = useDatabase('pglite')

type Fields = Readonly<Record<string, unknown>>

const A: Setup = { source: { type: 'a' } }
const B: Setup = { source: { type: 'b', timeZone: 'UTC' } }

/** Sessions of Source A, and everybody who speaks at the keynote. */
function programme(
  number: number,
  session: (id: string) => Fields = () => ({}),
  user: Fields = {},
): Resources {
  const people = ids(30, 'u')
  const keynote = aSession('keynote', { Speakers: people.map((Id) => ({ Id })) })
  return {
    TimeSlots: [SLOT_0],
    Sessions: [keynote, ...ids(number, 's').map((id) => aSession(id, session(id)))],
    Users: people.map((id) => aUser(id, user)),
    Rooms: [{ Id: 'r', Name: 'Main hall' }],
    Tracks: [{ Id: 'k', Title: 'Data' }],
    SessionTypes: [{ Id: 'y', Title: 'Talk' }],
  }
}

/** A speaker of their own for each session, beside the keynote. */
const ofTheirOwn = (id: string) => ({ Speakers: [{ Id: id.replace('s', 'u') }] })
const inMainHall = () => ({ RoomId: 'r' })
const hiddenTo = (shown: number) => (id: string) => ({
  ...ofTheirOwn(id),
  Enabled: Number(id.slice(1)) <= shown,
})

/** Registrants of Source B, who have chosen sessions. */
function signUp(sessions: number, chosen: readonly string[], start: string = '09:00:00'): Resources {
  return {
    sessions: ids(sessions, 's').map((id) => bSession(id, { start_time: start, end_time: '23:00:00' })),
    registrants: ids(30, 'g').map((id) => bRegistrant(id, { reg_type_id: 901, session_ids: chosen })),
    regTypes: TYPES,
  }
}

test.each<[string, Setup, Resources, Resources]>([
  ['rooms are assigned', A, programme(30), programme(30, inMainHall)],
  [
    'tracks and types are assigned',
    A,
    programme(30),
    programme(30, () => ({ TrackId: 'k', SessionTypeId: 'y' })),
  ],
  [
    'pictures arrive',
    A,
    programme(3),
    programme(3, undefined, { PhotoLink: 'https://pictures.example/1.png' }),
  ],
  ['the programme is published', A, programme(30, hiddenTo(5)), programme(30, hiddenTo(30))],
  ['a rework is hidden', A, programme(30, hiddenTo(30)), programme(30, hiddenTo(0))],
  ['a rework is shown again', A, programme(30, hiddenTo(0)), programme(30, hiddenTo(30))],
  [
    'slides are added',
    A,
    programme(30),
    programme(30, (id) => ({ Links: [`https://slides.example/${id}`] })),
  ],
  [
    'recordings are added',
    A,
    programme(30, (id) => ({ Links: [`https://slides.example/${id}`] })),
    programme(30, (id) => ({ Links: [`https://slides.example/${id}`, `https://video.example/${id}`] })),
  ],
  [
    'the main hall is renamed',
    A,
    programme(30, inMainHall),
    { ...programme(30, inMainHall), Rooms: [{ Id: 'r', Name: 'Great hall' }] },
  ],
  ['five of eighteen sessions are dropped', A, programme(17), programme(12)],
  ['attendees choose their first sessions', B, signUp(9, []), signUp(9, ['s1', 's2'])],
  ['attendees choose more sessions', B, signUp(9, ['s1']), signUp(9, ['s1', 's2'])],
  ['a session that most have chosen leaves', B, signUp(9, ['s1', 's9']), signUp(8, ['s1', 's9'])],
  ['a session that most have chosen returns', B, signUp(8, ['s1', 's9']), signUp(9, ['s1', 's9'])],
  ['four sessions are moved', B, signUp(4, []), signUp(4, [], '11:00:00')],
])('%s, which is not held', async (_, setup, before, after) => {
  const source = await serveIntegration(database(), setup, before)
  expect(await source.run()).toMatchObject({ code: 0, guard: null })
  source.hold(after)
  const run = await source.run()
  expect(run).toMatchObject({ code: 0, guard: null, detail: '' })
  expect(run.sent).not.toEqual([])
})

test('all times of five sessions are moved, as by a wrong time zone, which is held', async () => {
  const source = await serveIntegration(database(), B, signUp(5, []))
  await source.run()
  source.hold(signUp(5, [], '11:00:00'))
  expect(await source.run()).toMatchObject({ code: 4, guard: 'massUpdate', sent: null })
})
