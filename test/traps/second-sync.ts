import { describe, expect, test } from 'vitest'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { readPack } from './pack.ts'
import { type Resources, type Setup, syncRecords } from './sync.ts'
import { useOutput } from './traps.ts'
import { aSession, aUser, SLOT_0 } from './traps-of-a.ts'
import { bRegistrant, SESSION_B, TYPES } from './traps-of-b.ts'

const OF_A: Setup = { source: { type: 'a' } }
const OF_B: Setup = { source: { type: 'b', timeZone: 'UTC' } }
const speaks = { SpeakingAt: [{ Id: 's0' }] }
const ofA = (users: readonly unknown[], sessions: readonly unknown[] = []): Resources => ({
  TimeSlots: [SLOT_0],
  Sessions: [aSession('s0'), ...sessions],
  Users: users,
})
const ofB = (...registrants: readonly unknown[]): Resources => ({
  sessions: [SESSION_B],
  registrants,
  regTypes: TYPES,
})

// So few that no guard holds them; test/pipeline/guards.test.ts has those that one does.
describe.each(engines)('what a second sync sends, on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useOutput()
  let id = 0

  /** Operations of the second of two syncs, and the reasons of what is not synced then. */
  async function second(setup: Setup, before: Resources, after: Resources) {
    id += 1
    const place = { database: database(), output: output(), id: `second-${id}` }
    await syncRecords(place, setup, before)
    const { output: folder } = await syncRecords(place, setup, after)
    const { operations, decisions } = readPack(folder ?? '')
    return {
      sent: operations.map(
        ({ op, content, uniqueId, reason }) =>
          `${op} ${content} ${uniqueId}${reason === undefined ? '' : `: ${reason}`}`,
      ),
      reasons: decisions.flatMap(({ content, sourceId, reason }) =>
        reason === null ? [] : [`${content} ${sourceId}: ${reason}`],
      ),
    }
  }

  test('records that are gone from Source A take their items with them', async () => {
    const before = ofA([aUser('stays', speaks), aUser('goes', speaks)], [aSession('goes')])
    expect(await second(OF_A, before, ofA([aUser('stays', speaks)]))).toEqual({
      sent: [
        'remove attendees goes: removed_at_source',
        'remove speakers goes: removed_at_source',
        'remove agenda goes: removed_at_source',
      ],
      reasons: [],
    })
  })

  test('registrants that are gone from Source B take their items with them', async () => {
    const after = ofB(bRegistrant('stays'))
    expect(await second(OF_B, ofB(bRegistrant('stays'), bRegistrant('goes')), after)).toEqual({
      sent: ['remove attendees goes: removed_at_source', 'remove speakers goes: removed_at_source'],
      reasons: [],
    })
  })

  test('a registrant who cancels is removed as an attendee', async () => {
    const after = ofB(bRegistrant('g', { cancelled_at: '2031-02-14', reg_type_id: 901 }))
    expect(await second(OF_B, ofB(bRegistrant('g', { reg_type_id: 901 })), after)).toEqual({
      sent: ['remove attendees g: cancelled'],
      reasons: ['attendees g: cancelled', 'speakers g: not_a_speaker'],
    })
  })

  test('a registrant who is no longer of the type Speaker is removed as a speaker', async () => {
    const after = ofB(bRegistrant('g', { reg_type_id: 901 }), bRegistrant('other'))
    expect(await second(OF_B, ofB(bRegistrant('g'), bRegistrant('other')), after)).toEqual({
      sent: ['remove speakers g: not_a_speaker'],
      reasons: ['speakers g: not_a_speaker'],
    })
  })

  test('a session that was not read is not removed, though its type is now that of 1:1 meetings', async () => {
    const types = (title: string) => ({ SessionTypes: [{ Id: 't', Title: title }] })
    const meeting = aSession('m', { SessionTypeId: 't' })
    const before = { ...ofA([aUser('u', speaks)], [meeting]), ...types('Talk') }
    // The record without an id may be the session that seems to be gone.
    const unread = { ...ofA([aUser('u', speaks)], [{ Title: 'of no id' }]), ...types('1:1 Meeting') }
    expect(await second(OF_A, before, unread)).toEqual({
      sent: [],
      reasons: ['agenda null: invalid_record', 'agenda m: one_to_one_meeting'],
    })
    const read = { ...before, ...types('1:1 Meeting') }
    expect(await second(OF_A, before, read)).toMatchObject({ sent: ['remove agenda m: one_to_one_meeting'] })
  })

  test('a registrant who was not read is not removed, though the type is no longer named Speaker', async () => {
    const before = ofB(
      bRegistrant('g', { reg_type_id: 901 }),
      bRegistrant('s', { reg_type_id: { id: 1, value: 'Speaker' } }),
    )
    const after = {
      ...ofB(bRegistrant('s', { reg_type_id: { id: 1, value: 'Speaker' } }), { first_name: 'of no id' }),
      regTypes: [{ id: 901, name: 'Guest' }],
    }
    expect((await second(OF_B, before, after)).sent).toEqual([])
  })

  test('a user of Source A who no longer speaks is removed as a speaker', async () => {
    const other = aUser('other', speaks)
    expect(await second(OF_A, ofA([aUser('u', speaks), other]), ofA([aUser('u'), other]))).toEqual({
      sent: ['remove speakers u: not_a_speaker'],
      reasons: ['speakers u: not_a_speaker'],
    })
  })

  test('who lacks a required field is removed', async () => {
    const names = (LastName: unknown) => [aUser('u1'), aUser('u2', { LastName })]
    expect(await second(OF_A, ofA(names('Lovelace')), ofA(names(null)))).toEqual({
      sent: ['remove attendees u2: missing_required:lastName'],
      reasons: [
        'attendees u2: missing_required:lastName',
        'speakers u1: not_a_speaker',
        'speakers u2: not_a_speaker',
      ],
    })
  })

  test('an optional field that few have is cleared as any field is', async () => {
    const titles = (Title: unknown) => ['u1', 'u2'].map((Id) => aUser(Id, { Title }))
    const { sent } = await second(OF_A, ofA(titles('Navigator')), ofA(titles(null)))
    expect(sent).toEqual(['upsert attendees u1', 'upsert attendees u2'])
  })
})
