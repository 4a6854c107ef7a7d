import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { describeReport, toJson } from '../../pipeline/commands/print-report.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { Refusal, startScripted } from '../traps/scripted.ts'
import type { Setup } from '../traps/sync.ts'
import { aSession, aUser, SLOT_0 } from '../traps/traps-of-a.ts'
import { bRegistrant, bSession, TYPES } from '../traps/traps-of-b.ts'
import { makeIntegration, newPlace, serveIntegration } from './guarded-integration.ts'
import {
  ATTENDEES_B,
  certificateOf,
  expectSecondReading,
  type IdAnswer,
  refused,
  startB,
} from './second-look-source.ts'

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  test('a record that moved between pages during the reading is found by its id, and its item is kept', async () => {
    const source = await startB(database())
    await source.run()
    // Before the second page is requested, g2 is removed and g8 is added. The total stays the same, but g4
    // moves to the first page, which has already been read.
    const drifted = await source.run({ '2': ['g1', 'g3', 'g4', 'g5', 'g6', 'g7', 'g8'] })
    expect(drifted).toMatchObject({ code: 0, sent: ['upsert attendees g8'] })
    expect(drifted.asked).toEqual(['page 1', 'page 2', 'page 3', 'ids g1 g4 g8'])
    expect(certificateOf(drifted, 'registrants')).toMatchObject({
      certified: 'true',
      confirmed: 'true',
      requests: '4',
      elements: '8',
      detail: 'a second reading found 1 record that was not in the first',
    })
    const calm = await source.run()
    expect(calm).toMatchObject({ code: 0, sent: ['remove attendees g2'] })
    expect(certificateOf(calm, 'registrants')).toMatchObject({ confirmed: 'true', detail: '' })
  })

  test('one request for the id of a missing record, together with known ids, proves that the record is gone [R45]', async () => {
    const source = await startB(database())
    await source.run()
    const gone = await source.run({ '1': ['g1', 'g2', 'g3', 'g5', 'g6', 'g7'] })
    expect(gone).toMatchObject({
      code: 0,
      sent: ['remove attendees g4'],
      asked: ['page 1', 'page 2', 'ids g1 g4 g7'],
    })
    expect(certificateOf(gone, 'registrants')).toMatchObject({
      certified: 'true',
      confirmed: 'true',
      requests: '3',
      elements: '6',
      detail: '',
    })
  })

  test.each<[string, IdAnswer, number]>([
    ['refuses the request with 400', refused(400), 1],
    ['ignores the ids', ({ all, page }) => page(all), 1],
    ['returns only the ids', ({ found, page }) => page(found.map(({ id }) => ({ id }))), 1],
    [
      'cuts off its answer',
      () => new Refusal(200, `{"items":[${JSON.stringify(bRegistrant('g1'))},{"id"`),
      3,
    ],
  ])('all records are read a second time if a source that is asked for ids %s', (_, answer, questions) =>
    expectSecondReading(database(), answer, questions),
  )

  test('no records are requested by id if the source is empty or an id would need escaping', async () => {
    const source = await startB(database())
    await source.run({ '1': ['g1', 'g 2', 'g3', 'g4'] })
    expect(await source.run({ '1': ['g1', 'g3', 'g4'] })).toMatchObject({
      sent: ['remove attendees g 2'],
      asked: ['page 1', 'page 1'],
    })
    expect((await source.run({ '1': [] })).asked).toEqual(['page 1', 'page 1'])
  })

  test('missing sessions are requested by their ids too', async () => {
    let sessions = ['s1', 's2', 's3']
    let types = TYPES
    const asked: string[] = []
    const source = await startScripted(({ resource, ids }) => {
      asked.push(ids === null ? resource : `${resource} ${[...ids].join(' ')}`)
      const all = { sessions: sessions.map((id) => bSession(id)), 'reg-types': types, registrants: [] }
      const items = (all[resource as keyof typeof all] ?? []).filter(({ id }) => ids?.has(String(id)) ?? true)
      return { items, _meta: { totalCount: items.length, currentPage: 1 } }
    })
    onTestFinished(() => source.close())
    const setup: Setup = { source: { type: 'b', timeZone: 'UTC' }, content: ['agenda'] }
    const integration = makeIntegration(newPlace(database()), source.url, setup)
    await integration.run()
    sessions = ['s1', 's3']
    types = TYPES.slice(1)
    asked.length = 0
    expect(await integration.run()).toMatchObject({ code: 0, sent: ['remove agenda s2'] })
    expect(asked).toEqual(['sessions', 'sessions s1 s2 s3'])
  })

  test('a record that is missing in both readings is gone; there is no second reading if nothing would be removed', async () => {
    const source = await startB(database())
    expect((await source.run()).asked).toHaveLength(3)
    const all = ['g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7', 'g8']
    expect(await source.run({ '1': all })).toMatchObject({
      sent: ['upsert attendees g8'],
      asked: { length: 3 },
    })
    const unchanged = await source.run()
    expect(unchanged.asked).toHaveLength(3)
    expect(certificateOf(unchanged, 'registrants')).toMatchObject({ confirmed: '' })
    const gone = await source.run({ '1': all.slice(1) })
    expect(gone).toMatchObject({ sent: ['remove attendees g1'], asked: { length: 4 } })
  })

  test('with `removals.action: keep`, nothing is removed or held, and no record is looked for a second time', async () => {
    const source = await startB(database(), new Map(), { ...ATTENDEES_B, removals: { action: 'keep' } })
    await source.run()
    expect(await source.run({ '1': ['g1', 'g2'] })).toMatchObject({
      code: 0,
      guard: null,
      sent: [],
      report: { kept: 5 },
      asked: { length: 1 },
    })
  })

  test('if the second reading is not proved to be complete, nothing is removed', async () => {
    const source = await startB(database())
    await source.run()
    const six = ['g2', 'g3', 'g4', 'g5', 'g6', 'g7']
    const moving = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [String(at + 3), at % 2 === 0 ? six.slice(1) : six]),
    )
    const moved = await source.run({ '1': six, ...moving })
    expect(moved).toMatchObject({ code: 3, sent: [] })
    expect(certificateOf(moved, 'registrants')).toMatchObject({
      certified: 'false',
      confirmed: 'false',
      elements: '6',
      detail: expect.stringMatching(
        /^records are missing, and the second reading could not confirm that: the source changed/,
      ),
    })
    expect(await source.run({ '1': six })).toMatchObject({ code: 0, sent: ['remove attendees g1'] })
  })

  test('if the reading of a resource is not proved complete, no rule removes an item because of its references to this resource', async () => {
    let [chosen, total] = ['s1', 1]
    const source = await startScripted(({ resource, at }) => {
      const all = {
        sessions: at === 1 ? [bSession('s1')] : [],
        registrants: [
          bRegistrant('g1', { session_ids: [chosen] }),
          bRegistrant('g2', { session_ids: ['s1'] }),
        ],
      }
      const items = all[resource as keyof typeof all] ?? []
      return { items, _meta: { totalCount: resource === 'sessions' ? total : items.length, currentPage: at } }
    })
    onTestFinished(() => source.close())
    const integration = makeIntegration(newPlace(database()), source.url, {
      source: { type: 'b', timeZone: 'UTC' },
      content: ['agenda', 'attendees'],
      exclude: [{ name: 'idle', content: 'attendees', where: { personalAgenda: { missing: true } } }],
    })
    await integration.run()
    // Registrant g1 now chooses session s9, but the source does not send the page with s9.
    ;[chosen, total] = ['s9', 2]
    expect(await integration.run()).toMatchObject({ code: 3, sent: [] })
    total = 1
    expect(await integration.run()).toMatchObject({ code: 0, sent: ['remove attendees g1'] })
  })

  test('there is no second reading if only an exclude rule removes items', async () => {
    const exclude = [{ name: 'test-people', content: 'attendees', where: { company: 'TEST' } }]
    const setup: Setup = { source: { type: 'a' }, content: ['attendees'], exclude }
    const users = ['u1', 'u2', 'u3', 'u4'].map((id) => aUser(id))
    const integration = await serveIntegration(database(), setup, {
      Users: [...users, aUser('u5', { EmailAddress: null })],
    })
    await integration.run()
    // The record of u5 is missing too, but it never had an item.
    integration.hold({ Users: [aUser('u1', { Company: 'TEST' }), ...users.slice(1)] })
    const ended = await integration.run()
    expect(ended.sent).toEqual(['remove attendees u1'])
    expect(certificateOf(ended, 'users')).toMatchObject({ confirmed: '' })
  })

  test('before a missing session and its speaker are removed, the session is looked for again', async () => {
    const records = (sessions: readonly string[]) => ({
      TimeSlots: [SLOT_0],
      Sessions: sessions.map((id) => aSession(id, { Speakers: [{ Id: `u-${id}` }] })),
      Users: ['s1', 's2'].map((id) => aUser(`u-${id}`, { SpeakingAt: [{ Id: id }] })),
    })
    const setup: Setup = { source: { type: 'a' } }
    const integration = await serveIntegration(database(), setup, records(['s1', 's2']))
    await integration.run()
    integration.hold(records(['s1']))
    const ended = await integration.run()
    expect(ended.sent).toContain('remove agenda s2')
    expect(certificateOf(ended, 'sessions')).toMatchObject({ confirmed: 'true' })
    expect(certificateOf(ended, 'time_slots')).toMatchObject({ confirmed: '' })
  })
})

describe.each(engines)('a record without an id, on %s', (engine) => {
  const database = useDatabase(engine)

  const setup: Setup = { source: { type: 'a' }, content: ['agenda'] }
  const records = (ids: readonly string[], titles: readonly string[] = []) => ({
    TimeSlots: [SLOT_0],
    Sessions: [...ids.map((id) => aSession(id)), ...titles.map((Title) => ({ Title }))],
  })
  const kept = (number: number, faults: string) =>
    `${number} sessions are gone at the source and are kept, because ${faults} no readable id`

  test('if a record has no id, items that could be this record are kept, and report, JSON, certificate and explain say so', async () => {
    const all = records(['s1', 's2', 's3', 's4', 's5', 's6'], ['Old'])
    const integration = await serveIntegration(database(), setup, all)
    await integration.run()

    // The record without an id was already present when s6 was last seen, so it cannot be s6.
    integration.hold(records(['s1', 's2', 's3', 's4', 's5'], ['Old']))
    expect(await integration.run()).toMatchObject({
      sent: ['remove agenda s6'],
      code: 3,
      report: { notes: [] },
    })

    integration.hold(records(['s1', 's2', 's3'], ['Old', 'New']))
    for (const ended of [await integration.run(), await integration.run()]) {
      const sentence = kept(2, '1 record that could be one of them has')
      expect(ended).toMatchObject({ sent: [], code: 3, report: { certified: true, notes: [sentence] } })
      expect(describeReport(ended.report)).toContain(sentence)
      expect(JSON.stringify(toJson(ended.report))).toContain(sentence)
      expect(certificateOf(ended, 'sessions')).toMatchObject({ certified: 'true', detail: sentence })
      expect(readFileSync(join(ended.report.output ?? '', 'report.html'), 'utf8')).toContain(sentence)
    }
    const { notes } = await integration.explain('agenda', 's5')
    expect(notes).toEqual([
      `the last run did not see the record, but does not count it as gone: ${kept(2, '1 record that could be one of them has')}`,
    ])

    // The record named New was already present when s3 was last seen, so s3 counts as removed.
    integration.hold(records(['s1', 's2'], ['Old', 'New']))
    expect(await integration.run()).toMatchObject({ sent: ['remove agenda s3'] })

    // There is one more record named New than before, so s2 may be the additional record.
    integration.hold(records(['s1'], ['Old', 'New', 'New']))
    expect((await integration.run()).report.notes).toEqual([
      kept(3, '2 records that could be one of them have'),
    ])

    integration.hold(records(['s1'], ['Old']))
    integration.wait(25)
    expect((await integration.run()).sent).toEqual([
      'remove agenda s2',
      'remove agenda s4',
      'remove agenda s5',
    ])
  })
})
