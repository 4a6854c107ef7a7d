import { describe, expect, test } from 'vitest'
import { readPack } from '../harness/read-pack.ts'
import type { Resources } from '../harness/serve-records.ts'
import { engines } from '../support/engines.ts'
import { linked, OF_A, ofA, PICTURE, speaks, user, useSecondSync } from './second-sync.ts'
import { type Setup, syncRecords } from './sync.ts'
import { aSession, aUser, SLOT_0 } from './traps-of-a.ts'
import { bRegistrant, SESSION_B, TYPES } from './traps-of-b.ts'

const OF_B: Setup = { source: { type: 'b', timeZone: 'UTC' } }
const ofB = (...registrants: readonly unknown[]): Resources => ({
  sessions: [SESSION_B],
  registrants,
  regTypes: TYPES,
})
const NEW = { Company: 'New' }
const own = (address: string) => ofA([aUser('u', { Badge: address })])
const badge = { fields: { attendees: { badge: { from: 'Badge', as: 'url' } } } }

// The syncs of this file have so few changes that no guard (a check that can hold a plan) holds the plan.
// Held plans are tested in test/pipeline/guards.database.test.ts.
describe.each(engines)('what a second sync sends, on %s', (engine) => {
  const { second, nextPlace } = useSecondSync(engine)

  test('names, rooms, tracks, types and times are taken only from current versions of the records', async () => {
    const lookups = (name: string) => ({
      Rooms: [{ Id: 'r', Name: name }],
      Tracks: [{ Id: 'k', Title: name }],
      SessionTypes: [{ Id: 'y', Title: name }],
      TimeSlots: [{ ...SLOT_0, EndTime: name === 'Old' ? '2031-05-04T10:00:00Z' : SLOT_0.EndTime }],
    })
    const held = (name: string, speaker: string): Resources => ({
      ...ofA(
        [aUser('u'), aUser('v')],
        [aSession('s', { RoomId: 'r', TrackId: 'k', SessionTypeId: 'y', Speakers: [speaker] })],
      ),
      ...lookups(name),
    })
    expect(await second(OF_A, held('Old', 'u'), held('New', 'v'))).toEqual({
      sent: ['upsert speakers v', 'upsert agenda s', 'upsert agenda s0', 'remove speakers u not_a_speaker'],
      reasons: ['speakers u not_a_speaker'],
    })
    const typed = (id: number, other: number): Resources => ({
      ...ofB(bRegistrant('g')),
      regTypes: [
        { id, name: 'Speaker' },
        { id: other, name: 'Attendee' },
      ],
    })
    expect(await second(OF_B, typed(902, 901), typed(901, 902))).toMatchObject({
      sent: ['remove speakers g not_a_speaker'],
    })
  })

  describe('a new signature in the address of a file is not a change [R59]', () => {
    test.each<[string, before: Resources, after: Resources, sent: readonly string[], Partial<Setup>?]>([
      ['a picture', user(`${PICTURE}?sig=1`), user(`${PICTURE}?sig=2`), []],
      [
        'another picture',
        user(`${PICTURE}?sig=1`),
        user('https://files.example/2.jpg?sig=2'),
        ['upsert speakers u'],
      ],
      [
        'links',
        linked(`${PICTURE}?token=1`, 'https://x.example/'),
        linked(`${PICTURE}?token=2`, 'https://x.example/'),
        [],
      ],
      ['a field of form url', own(`${PICTURE}?sig=1`), own(`${PICTURE}?sig=2`), [], badge],
    ])('%s', async (_, before, after, sent, setup = {}) => {
      expect(await second({ ...OF_A, ...setup }, before, after)).toMatchObject({ sent })
    })

    test('the database stores the signed URL that is on the platform, until another change sends a newer URL', async () => {
      const place = nextPlace()
      const pictures: unknown[] = []
      for (const [signature, more] of [
        ['1', {}],
        ['2', {}],
        ['2', {}],
        ['3', NEW],
        ['4', NEW],
      ] as const) {
        const { output: folder } = await syncRecords(place, OF_A, user(`${PICTURE}?sig=${signature}`, more))
        const { operations } = readPack(folder ?? '')
        const item = await place.database.kysely
          .selectFrom('sync.platform_items')
          .where(({ and }) => and({ integration_id: place.id, content: 'speakers', unique_id: 'u' }))
          .select('fields')
          .executeTakeFirstOrThrow()
        pictures.push([
          operations.filter(({ content }) => content === 'speakers').length,
          item.fields.imageUrl,
        ])
      }
      const sent = (signature: string) => `${PICTURE}?sig=${signature}`
      expect(pictures).toEqual([
        [1, sent('1')],
        [0, sent('1')],
        [0, sent('1')],
        [1, sent('3')],
        [0, sent('3')],
      ])
    })
  })

  test('a session that was not read is not removed, even if its type has become the type of 1:1 meetings', async () => {
    const types = (title: string) => ({ SessionTypes: [{ Id: 't', Title: title }] })
    const meeting = aSession('m', { SessionTypeId: 't' })
    const before = { ...ofA([aUser('u', speaks)], [meeting]), ...types('Talk') }
    // The missing session is not considered as removed, because the record without an id may be this session.
    const unread = { ...ofA([aUser('u', speaks)], [{ Title: 'of no id' }]), ...types('1:1 Meeting') }
    expect(await second(OF_A, before, unread)).toEqual({
      sent: [],
      reasons: ['agenda null invalid_record', 'agenda m one_to_one_meeting'],
    })
    const read = { ...before, ...types('1:1 Meeting') }
    expect(await second(OF_A, before, read)).toMatchObject({ sent: ['remove agenda m one_to_one_meeting'] })
  })
})
