import { expect } from 'vitest'
import type { Database } from '../../sql/database.ts'
import type { Resources } from '../harness/serve-records.ts'
import { ids } from '../support/runs.ts'
import type { Setup } from '../traps/sync.ts'
import { aSession, aUser, SLOT_0 } from '../traps/traps-of-a.ts'
import { bRegistrant, bSession } from '../traps/traps-of-b.ts'
import { serveIntegration } from './guarded-integration.ts'

// In these cases, a field that decides if records are synced is suddenly empty in all records. One empty
// field would say nothing about a single record.

export interface Vanished {
  readonly what: string
  /** True if the gate checks the case. `npm run test:long` checks all other cases. */
  readonly isInGate?: true
  readonly setup: Setup
  readonly before: Resources
  readonly after: Resources
  /** Text about the field that the message of the held run must contain. */
  readonly field: string
}

type Make = (place: number) => Readonly<Record<string, unknown>>

const TYPES = [
  { id: 20, name: 'Speaker' },
  { id: 21, name: 'Guest' },
]
const B: Setup = { source: { type: 'b', timeZone: 'UTC' } }
const ofB = (count: number, fields: Make, regTypes: readonly unknown[] = TYPES): Resources => ({
  sessions: [bSession('s1')],
  registrants: ids(count).map((id, place) => bRegistrant(id, { session_ids: [], ...fields(place) })),
  regTypes,
})
/** Returns true for two thirds of the records. */
const isSpeaker = (place: number) => place % 3 > 0
const typed: Make = (place) => ({ reg_type_id: isSpeaker(place) ? 20 : 21 })
const named: Make = (place) => ({
  reg_type_id: isSpeaker(place) ? { id: 20, value: 'Speaker' } : { id: 21, value: 'Guest' },
})
const allTyped = (reg_type_id: unknown): Make => {
  return () => ({ reg_type_id })
}

const A: Setup = { source: { type: 'a' }, content: ['agenda'] }
const MEETING = [
  { Id: 'y1', Title: 'Talk' },
  { Id: 'y2', Title: '1:1 Meeting' },
]
const ofA = (count: number, fields: Make, SessionTypes: readonly unknown[] = []): Resources => ({
  TimeSlots: [SLOT_0],
  SessionTypes,
  Sessions: ids(count).map((id, place) => aSession(id, fields(place))),
})
const people = (count: number, fields: Make): Resources => ({
  Users: ids(count).map((id, place) => aUser(id, fields(place))),
})
const hiddenThird: Make = (place) => ({ Enabled: isSpeaker(place) })
const typedSessions: Make = (place) => ({ SessionTypeId: isSpeaker(place) ? 'y1' : 'y2' })
const statuses: Make = (place) => ({ Status: isSpeaker(place) ? 'Accepted' : 'Draft' })

export const VANISHED: readonly Vanished[] = [
  ...[
    ['null', null],
    ['an empty object', {}],
    ['an object of nulls', { id: null, value: null }],
    ['blank', ' '],
    ['a list', []],
  ].map(([what, value]) => ({
    what: `B: the type of registrants is ${what}`,
    setup: B,
    before: ofB(60, typed),
    after: ofB(60, allTyped(value)),
    field: 'registrants.reg_type_id had a value in 60 of 60 records, now in 0',
  })),
  {
    what: 'B: the type of registrants is null in a small event',
    setup: B,
    before: ofB(12, typed),
    after: ofB(12, allTyped(null)),
    field: 'registrants.reg_type_id had a value in 12 of 12 records, now in 0',
  },
  {
    what: 'B: the type is null for the few who had one',
    isInGate: true,
    setup: B,
    before: ofB(60, (place) => ({ reg_type_id: place < 8 ? 20 : null })),
    after: ofB(60, allTyped(null)),
    field: 'registrants.reg_type_id had a value in 8 of 60 records, now in 0',
  },
  {
    what: 'B: the type is null for the only speakers',
    setup: B,
    before: ofB(12, (place) => ({ reg_type_id: place < 4 ? 20 : null })),
    after: ofB(12, allTyped(null)),
    field: 'registrants.reg_type_id had a value in 4 of 12 records, now in 0',
  },
  {
    what: 'B: no registration is cancelled any more; nineteen were',
    isInGate: true,
    setup: B,
    before: ofB(60, (place) => ({ cancelled_at: place < 19 ? '2031-02-03' : null })),
    after: ofB(60, () => ({ cancelled_at: null })),
    field:
      'registrants.cancelled_at is gone for 19 records of registrants that were left out because of it and would be created',
  },
  {
    what: 'B: the types lose their names',
    isInGate: true,
    setup: { source: { type: 'b', timeZone: 'UTC', speakerRegistrantType: 'Speaker' } },
    before: ofB(60, typed),
    after: {
      ...ofB(60, typed),
      regTypes: [{ id: 20 }, { id: 21, name: null }],
      // One new registrant still has the name, so that the guard for the speaker type does not hold the run.
      registrants: [
        ...(ofB(60, typed).registrants ?? []),
        bRegistrant('new', { reg_type_id: { id: 22, value: 'Speaker' } }),
      ],
    },
    field: 'reg_types.name had a value in 60 of 60 records of registrants, now in 0',
  },
  {
    what: 'B: registrants lose the name of the type and the list has none',
    setup: B,
    before: ofB(60, named, [{ id: 20 }, { id: 21 }]),
    after: {
      ...ofB(60, typed, [{ id: 20 }, { id: 21 }]),
      registrants: [
        ...(ofB(60, typed).registrants ?? []),
        bRegistrant('new', { reg_type_id: { id: 22, value: 'Speaker' } }),
      ],
    },
    field: 'registrants.reg_type_value had a value in 60 of 60 records, now in 0',
  },
  {
    what: 'B: no registration is cancelled any more; many were',
    setup: B,
    before: ofB(60, (place) => ({ cancelled_at: isSpeaker(place) ? null : '2031-02-03 04:05:06' })),
    after: ofB(60, () => ({ cancelled_at: null })),
    field: 'registrants.cancelled_at had a value in 20 of 60 records, now in 0',
  },
  {
    what: 'B: the e-mail addresses are hidden',
    isInGate: true,
    setup: B,
    before: ofB(12, typed),
    after: ofB(12, (place) => ({ ...typed(place), email: null })),
    field: 'registrants.email (required) had a value in 12 of 12 records, now in 0',
  },
  {
    what: 'B: nobody has sessions any more',
    setup: B,
    before: ofB(30, () => ({ session_ids: ['s1'] })),
    after: ofB(30, () => ({ session_ids: null })),
    field: 'registrants.session_ids had a value in 30 of 30 records, now in 0',
  },
  ...[12, 60].map((count) => ({
    what: `A: Enabled is missing from all of ${count} sessions, of which a third was hidden`,
    setup: A,
    before: ofA(count, hiddenThird),
    after: ofA(count, () => ({})),
    field: `sessions.enabled had a value in ${count} of ${count} records, now in 0`,
  })),
  {
    what: 'A: VisibleToAnonymousUsers is null',
    isInGate: true,
    setup: A,
    before: ofA(12, (place) => ({ VisibleToAnonymousUsers: isSpeaker(place) })),
    after: ofA(12, () => ({ VisibleToAnonymousUsers: null })),
    field: 'sessions.visible_to_anonymous_users had a value in 12 of 12 records, now in 0',
  },
  {
    what: 'A: Status is missing, and source.sessionStatuses asks for some',
    isInGate: true,
    setup: { source: { type: 'a', sessionStatuses: ['Accepted'] }, content: ['agenda'] },
    before: ofA(18, statuses),
    after: ofA(18, () => ({})),
    field: 'sessions.status had a value in 18 of 18 records, now in 0',
  },
  {
    what: 'A: the type of sessions is null, and meetings would be shown',
    setup: A,
    before: ofA(15, typedSessions, MEETING),
    after: ofA(15, () => ({ SessionTypeId: null }), MEETING),
    field: 'sessions.session_type_id had a value in 15 of 15 records, now in 0',
  },
  {
    what: 'A: the types of sessions lose their titles',
    setup: A,
    before: ofA(15, typedSessions, MEETING),
    after: ofA(15, typedSessions, [{ Id: 'y1' }, { Id: 'y2', Title: ' ' }]),
    field: 'session_types.title had a value in 15 of 15 records of sessions, now in 0',
  },
  {
    what: 'A: IsPending is missing',
    setup: { source: { type: 'a' }, content: ['speakers'] },
    before: people(20, (place) => ({ SpeakingAt: [{ Id: 's1' }], IsPending: !isSpeaker(place) })),
    after: people(20, () => ({ SpeakingAt: [{ Id: 's1' }] })),
    field: 'users.is_pending had a value in 20 of 20 records, now in 0',
  },
  {
    what: 'A: Roles, which says who is a speaker, is missing',
    isInGate: true,
    setup: { source: { type: 'a', speakers: 'role' }, content: ['speakers', 'attendees'] },
    before: people(60, (place) => ({ Roles: place < 30 ? 'Admin|Speaker' : 'Admin' })),
    after: people(60, () => ({ Roles: null })),
    field: 'users.has_speaker_role had a value in 30 of 60 records, now in 0',
  },
  {
    what: 'A: nobody is a speaker any more, by either relation',
    setup: { source: { type: 'a' }, content: ['speakers'] },
    before: people(40, () => ({ SpeakingAt: [{ Id: 's1' }] })),
    after: people(40, () => ({ SpeakingAt: [] })),
    field: 'users.speaking_at had a value in 40 of 40 records, now in 0',
  },
  {
    what: 'A: sessions name no speakers any more, and only speakers are synced',
    isInGate: true,
    setup: { source: { type: 'a' }, content: ['speakers'] },
    before: {
      ...ofA(25, (place) => ({ Speakers: [{ Id: `i${place + 1}` }] })),
      ...people(25, () => ({ SpeakingAt: [] })),
    },
    after: { ...ofA(25, () => ({ Speakers: null })), ...people(25, () => ({ SpeakingAt: [] })) },
    field: 'sessions.speaker_ids had a value in 25 of 25 records, now in 0',
  },
]

/** Ordinary changes of the same fields, which organisers make and which must not hold a run. */
export const ORDINARY: readonly Omit<Vanished, 'field'>[] = [
  {
    what: 'B: four cancelled registrations are active again',
    isInGate: true,
    setup: B,
    before: ofB(60, (place) => ({ cancelled_at: place < 4 ? '2031-02-03' : null })),
    after: ofB(60, () => ({ cancelled_at: null })),
  },
  {
    what: 'B: three speakers of four have no type any more',
    setup: B,
    before: ofB(12, (place) => ({ reg_type_id: place < 4 ? 20 : null })),
    after: ofB(12, (place) => ({ reg_type_id: place < 1 ? 20 : null })),
  },
  {
    what: 'B: the type is given as a number from now on',
    setup: B,
    before: ofB(60, named),
    after: ofB(61, typed),
  },
  {
    what: 'A: all drafts are published',
    isInGate: true,
    setup: A,
    before: ofA(30, hiddenThird),
    after: ofA(30, () => ({ Enabled: true })),
  },
  {
    what: 'A: a status that no option uses is no longer given',
    setup: A,
    before: ofA(30, statuses),
    after: ofA(31, () => ({})),
  },
  {
    what: 'A: a flag that source.includeHidden ignores is no longer given',
    setup: { source: { type: 'a', includeHidden: true }, content: ['agenda'] },
    before: ofA(30, hiddenThird),
    after: ofA(31, () => ({})),
  },
  {
    what: 'A: a type of meetings is renamed, and a few meetings become talks',
    setup: A,
    before: ofA(30, (place) => ({ SessionTypeId: place < 4 ? 'y2' : 'y1' }), MEETING),
    after: ofA(30, (place) => ({ SessionTypeId: place < 2 ? 'y2' : 'y1' }), MEETING),
  },
]

/** Expects that the run is held, that nothing is sent, and that the hold names the field. */
export async function expectHold(database: Database, one: Vanished): Promise<void> {
  const source = await serveIntegration(database, one.setup, one.before)
  expect(await source.run()).toMatchObject({ code: 0, guard: null })
  source.hold(one.after)
  const held = await source.run()
  expect(held).toMatchObject({ code: 4, guard: 'blackout', sent: null })
  expect(held.detail).toContain(one.field)
  source.hold(one.before)
  expect(await source.run()).toMatchObject({ code: 0, guard: null, sent: [] })
}

/** Expects that the change of the records does not hold the run. */
export async function expectNoHold(
  database: Database,
  { setup, before, after }: Omit<Vanished, 'field'>,
): Promise<void> {
  const source = await serveIntegration(database, setup, before)
  expect(await source.run()).toMatchObject({ code: 0, guard: null })
  source.hold(after)
  expect(await source.run()).toMatchObject({ code: 0, guard: null })
}
