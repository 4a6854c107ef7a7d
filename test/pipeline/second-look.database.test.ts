import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { describeReport, toJson } from '../../pipeline/commands/print-report.ts'
import { openPlace, runLast, sourceAt } from '../harness/place.ts'
import { readRows } from '../harness/read-pack.ts'
import { serveRecords } from '../harness/serve-records.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { Refusal, startScripted } from '../traps/scripted.ts'
import type { Setup } from '../traps/sync.ts'
import { aSession, aUser, SLOT_0 } from '../traps/traps-of-a.ts'
import { bRegistrant, bSession, TYPES } from '../traps/traps-of-b.ts'
import { type Ended, makeIntegration, newPlace, serveIntegration } from './guarded-integration.ts'

// Before the item of a missing record is removed, the record is looked for a second time.

const ATTENDEES_B: Setup = { source: { type: 'b', timeZone: 'UTC' }, content: ['attendees'] }
const PAGE = 3

/**
 * Answers a request for records by their ids. `found` contains the requested records, and `page` returns the
 * requested page of a list.
 */
type IdAnswer = (asked: {
  readonly found: readonly ReturnType<typeof bRegistrant>[]
  readonly all: readonly unknown[]
  readonly page: (list: readonly unknown[]) => unknown
}) => unknown

function certificateOf({ report }: Ended, resource: string) {
  const [header = [], ...rows] = readRows(report.output ?? '', 'certificates.csv') ?? []
  const row = rows.find(([name]) => name === resource)
  return Object.fromEntries(header.map((column, at) => [column, row?.[at]]))
}

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  /**
   * Starts a Source B with seven registrants in pages of three. The test can change the registrants before a
   * page is answered.
   */
  async function startB(
    changes: Map<string, readonly string[]> = new Map(),
    setup: Setup = ATTENDEES_B,
    answer: IdAnswer = ({ found, page }) => page(found),
  ) {
    let ids: readonly string[] = ['g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7']
    let asked: string[] = []
    const source = await startScripted(({ resource, at, ids: sought }) => {
      if (resource !== 'registrants') return { items: [], _meta: { totalCount: 0, currentPage: 1 } }
      asked.push(sought === null ? `page ${at}` : `ids ${[...sought].join(' ')}`)
      ids = changes.get(`${asked.length}`) ?? ids
      const page = (list: readonly unknown[]) => ({
        items: list.slice((at - 1) * PAGE, at * PAGE),
        _meta: { totalCount: list.length, currentPage: at, pageCount: Math.ceil(list.length / PAGE) },
      })
      const all = ids.map((id) => bRegistrant(id))
      if (sought === null) return page(all)
      return answer({ found: all.filter(({ id }) => sought.has(String(id))), all, page })
    })
    onTestFinished(() => source.close())
    const integration = makeIntegration(newPlace(database()), source.url, setup)
    return {
      changes,
      async run(given: Readonly<Record<string, readonly string[]>> = {}) {
        asked = []
        changes.clear()
        for (const [request, list] of Object.entries(given)) changes.set(request, list)
        const ended = await integration.run()
        return { ...ended, asked }
      },
    }
  }

  test('a record that moved between pages during the reading is found by its id, and its item is kept', async () => {
    const source = await startB()
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
    const source = await startB()
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

  const refused = (status: number) => () => new Refusal(status)
  test.each<[string, IdAnswer, number]>([
    ['refuses the request with 400', refused(400), 1],
    ['refuses the request with 401', refused(401), 2],
    ['refuses the request with 403', refused(403), 1],
    ['answers 404', refused(404), 1],
    ['answers 414 because the address is too long', refused(414), 1],
    ['answers 500 each time', refused(500), 3],
    ['answers 503 each time', refused(503), 3],
    ['ignores the ids', ({ all, page }) => page(all), 1],
    [
      'ignores the ids and returns all records on one page',
      ({ all }) => ({ items: all, _meta: { totalCount: 7 } }),
      1,
    ],
    ['ignores the ids and returns a bare array', ({ all }) => all, 1],
    ['returns a record that was not requested', ({ found, page }) => page([...found, bRegistrant('g9')]), 1],
    ['returns an unreadable record', ({ found, page }) => page([...found, bRegistrant(null)]), 1],
    ['finds nothing', ({ page }) => page([]), 1],
    ['finds only the first', ({ found, page }) => page(found.slice(0, 1)), 1],
    ['finds only the last', ({ found, page }) => page(found.slice(-1)), 1],
    ['returns only the ids', ({ found, page }) => page(found.map(({ id }) => ({ id }))), 1],
    [
      'leaves a field out of each record',
      ({ found, page }) => page(found.map(({ email: _, ...rest }) => rest)),
      1,
    ],
    [
      'adds a field to each record',
      ({ found, page }) => page(found.map((record) => ({ ...record, notes: 'canary' }))),
      1,
    ],
    [
      'leaves fields out of the last record',
      ({ found, page }) => page([...found.slice(0, -1), { id: 'g7' }]),
      1,
    ],
    ['declares no total', ({ found }) => ({ items: found, _meta: { currentPage: 1 } }), 1],
    ['declares more records than it returns', ({ found }) => ({ items: found, _meta: { totalCount: 9 } }), 2],
    ['answers with a message', () => ({ message: 'no' }), 1],
    [
      'cuts off its answer',
      () => new Refusal(200, `{"items":[${JSON.stringify(bRegistrant('g1'))},{"id"`),
      3,
    ],
  ])(
    'all records are read a second time if a source that is asked for ids %s',
    async (_, answer, questions) => {
      const source = await startB(new Map(), ATTENDEES_B, answer)
      await source.run()
      const ended = await source.run({ '1': ['g1', 'g2', 'g3', 'g5', 'g6', 'g7'] })
      expect(ended).toMatchObject({ code: 0, sent: ['remove attendees g4'] })
      expect(ended.asked).toEqual([
        'page 1',
        'page 2',
        ...Array.from({ length: questions }, () => 'ids g1 g4 g7'),
        'page 1',
        'page 2',
      ])
      expect(certificateOf(ended, 'registrants')).toMatchObject({
        certified: 'true',
        confirmed: 'true',
        requests: '4',
        elements: '6',
      })
      const drifted = await source.run({ '2': ['g2', 'g3', 'g5', 'g6', 'g7', 'g8'] })
      expect(drifted).toMatchObject({ code: 0, sent: ['upsert attendees g8'] })
    },
  )

  test.each<[string, (record: ReturnType<typeof bRegistrant>) => unknown]>([
    ['the id alone', ({ id }) => ({ id })],
    ['no e-mail address', ({ email: _, ...rest }) => rest],
    ['an empty name', (record) => ({ ...record, first_name: '', last_name: null })],
  ])('a source that returns %s for each requested id overwrites nothing', async (_, less) => {
    const source = await startB(new Map(), ATTENDEES_B, ({ found, page }) => page(found.map(less)))
    await source.run()
    const all = ['g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7']
    // Three records move between pages, and the second reading returns all of them.
    const slipped = await source.run({ '1': ['g1', 'g5', 'g6', 'g7'], '3': all })
    expect(slipped).toMatchObject({ code: 0, sent: [], report: { changes: { attendees: { unchanged: 7 } } } })
    expect(slipped.asked).toEqual(['page 1', 'page 2', 'ids g1 g2 g3 g4 g7', 'page 1', 'page 2', 'page 3'])
    expect((await source.run()).sent).toEqual([])
  })

  test('if a known record has changed before it is requested by its id, all records are read again, with no other effect', async () => {
    let title = 'then'
    const source = await startB(new Map(), ATTENDEES_B, ({ found, page }) => {
      title = 'now'
      return page(found.map((record) => ({ ...record, job_title: title })))
    })
    await source.run()
    const ended = await source.run({ '1': ['g1', 'g2', 'g3', 'g5', 'g6', 'g7'] })
    expect(ended).toMatchObject({ code: 0, sent: ['remove attendees g4'], asked: { length: 5 } })
    expect(title).toBe('now')
  })

  test('if a known record disappears before it is requested by its id, the answer proves nothing, and all records are read again', async () => {
    const source = await startB()
    await source.run()
    const ended = await source.run({
      '1': ['g1', 'g2', 'g3', 'g5', 'g6', 'g7'],
      '3': ['g2', 'g3', 'g5', 'g6', 'g7'],
    })
    expect(ended).toMatchObject({ sent: ['remove attendees g4'], code: 0 })
    expect(ended.asked).toEqual(['page 1', 'page 2', 'ids g1 g4 g7', 'page 1', 'page 2'])
  })

  test('no records are requested by id if the source is empty or an id would need escaping', async () => {
    const source = await startB()
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
    const source = await startB()
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

  test('the second reading has its own limit of records, which does not include the first reading', async () => {
    const server = await serveRecords('b', { registrants: ['g1', 'g2', 'g3'].map((id) => bRegistrant(id)) })
    onTestFinished(() => server.close())
    const { id, ...place } = newPlace(database())
    const integration = { ...ATTENDEES_B, id, source: sourceAt('b', server.url) }
    const run = () => runLast(openPlace({ ...place, config: { http: { maxRecords: 3 } }, integration }))
    await run()
    server.hold({ registrants: [bRegistrant('g1'), bRegistrant('g2')] })
    expect(await run()).toMatchObject({ status: 'finished', changes: { attendees: { remove: 1 } } })
  })

  test('with `removals.action: keep`, nothing is removed or held, and no record is looked for a second time', async () => {
    const source = await startB(new Map(), { ...ATTENDEES_B, removals: { action: 'keep' } })
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
    const source = await startB()
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
