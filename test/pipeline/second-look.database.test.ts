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

// Nothing is removed for being missing before it was looked for once more.

const ATTENDEES_B: Setup = { source: { type: 'b', timeZone: 'UTC' }, content: ['attendees'] }
const PAGE = 3

/** Describes what a source answers to a question for ids: `found` are the records that it is asked for, `page` cuts a page out of a list. */
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
  /** A Source B of seven registrants in pages of three, which may change before a page is answered. */
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

  test('a record that slipped from page to page is at the source, and comes back', async () => {
    const source = await startB()
    await source.run()
    // One goes and one comes before the second page: the total is as it was, and g4 now is on the first.
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

  test('what is missing is proved to be gone by one request for its id, beside ids that are known [R45]', async () => {
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
    ['refuses it with 400', refused(400), 1],
    ['refuses it with 401', refused(401), 2],
    ['refuses it with 403', refused(403), 1],
    ['knows no such page', refused(404), 1],
    ['finds the address too long', refused(414), 1],
    ['breaks each time', refused(500), 3],
    ['is not there each time', refused(503), 3],
    ['ignores it', ({ all, page }) => page(all), 1],
    ['ignores it, and gives all on one page', ({ all }) => ({ items: all, _meta: { totalCount: 7 } }), 1],
    ['ignores it, as a bare array', ({ all }) => all, 1],
    ['gives a record that was not asked for', ({ found, page }) => page([...found, bRegistrant('g9')]), 1],
    ['gives a record that cannot be read', ({ found, page }) => page([...found, bRegistrant(null)]), 1],
    ['finds nothing', ({ page }) => page([]), 1],
    ['finds only the first', ({ found, page }) => page(found.slice(0, 1)), 1],
    ['finds only the last', ({ found, page }) => page(found.slice(-1)), 1],
    ['gives their ids alone', ({ found, page }) => page(found.map(({ id }) => ({ id }))), 1],
    ['gives less of each', ({ found, page }) => page(found.map(({ email: _, ...rest }) => rest)), 1],
    [
      'gives more of each',
      ({ found, page }) => page(found.map((record) => ({ ...record, notes: 'canary' }))),
      1,
    ],
    ['gives less of the last', ({ found, page }) => page([...found.slice(0, -1), { id: 'g7' }]), 1],
    ['declares no total', ({ found }) => ({ items: found, _meta: { currentPage: 1 } }), 1],
    ['declares more than it gives', ({ found }) => ({ items: found, _meta: { totalCount: 9 } }), 2],
    ['answers with a message', () => ({ message: 'no' }), 1],
    [
      'answers with half a text',
      () => new Refusal(200, `{"items":[${JSON.stringify(bRegistrant('g1'))},{"id"`),
      3,
    ],
  ])('a source that is asked for ids and %s is read a second time', async (_, answer, questions) => {
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
  })

  test.each<[string, (record: ReturnType<typeof bRegistrant>) => unknown]>([
    ['the id alone', ({ id }) => ({ id })],
    ['no e-mail address', ({ email: _, ...rest }) => rest],
    ['an empty name', (record) => ({ ...record, first_name: '', last_name: null })],
  ])('a source that gives %s of each record that it is asked for overwrites nothing', async (_, less) => {
    const source = await startB(new Map(), ATTENDEES_B, ({ found, page }) => page(found.map(less)))
    await source.run()
    const all = ['g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7']
    // Three slip from page to page, and the second reading has them all.
    const slipped = await source.run({ '1': ['g1', 'g5', 'g6', 'g7'], '3': all })
    expect(slipped).toMatchObject({ code: 0, sent: [], report: { changes: { attendees: { unchanged: 7 } } } })
    expect(slipped.asked).toEqual(['page 1', 'page 2', 'ids g1 g2 g3 g4 g7', 'page 1', 'page 2', 'page 3'])
    expect((await source.run()).sent).toEqual([])
  })

  test('a known record that changed meanwhile costs a second reading, and nothing else', async () => {
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

  test('a known record that goes between the reading and the question proves nothing: all is read again', async () => {
    const source = await startB()
    await source.run()
    const ended = await source.run({
      '1': ['g1', 'g2', 'g3', 'g5', 'g6', 'g7'],
      '3': ['g2', 'g3', 'g5', 'g6', 'g7'],
    })
    expect(ended).toMatchObject({ sent: ['remove attendees g4'], code: 0 })
    expect(ended.asked).toEqual(['page 1', 'page 2', 'ids g1 g4 g7', 'page 1', 'page 2'])
  })

  test('a source that has nothing left, and ids that would need to be escaped, are not asked for', async () => {
    const source = await startB()
    await source.run({ '1': ['g1', 'g 2', 'g3', 'g4'] })
    expect(await source.run({ '1': ['g1', 'g3', 'g4'] })).toMatchObject({
      sent: ['remove attendees g 2'],
      asked: ['page 1', 'page 1'],
    })
    expect((await source.run({ '1': [] })).asked).toEqual(['page 1', 'page 1'])
  })

  test('sessions are asked for by their ids too, and the types of registrants are read again', async () => {
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

  test('what is missing both times is gone; nothing is asked for twice where nothing would be removed', async () => {
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

  test('a second reading has as many records as it has, and not those of the first beside them', async () => {
    const server = await serveRecords('b', { registrants: ['g1', 'g2', 'g3'].map((id) => bRegistrant(id)) })
    onTestFinished(() => server.close())
    const { id, ...place } = newPlace(database())
    const integration = { ...ATTENDEES_B, id, source: sourceAt('b', server.url) }
    const run = () => runLast(openPlace({ ...place, config: { http: { maxRecords: 3 } }, integration }))
    await run()
    server.hold({ registrants: [bRegistrant('g1'), bRegistrant('g2')] })
    expect(await run()).toMatchObject({ status: 'finished', changes: { attendees: { remove: 1 } } })
  })

  test('with removals.action keep nothing is removed, held, or asked for twice', async () => {
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

  test('if the second reading proves nothing, nothing is concluded', async () => {
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

  test('a rule removes nobody for references to what was not read to a proved end', async () => {
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
    // The session that g1 chose instead is on a page that does not come.
    ;[chosen, total] = ['s9', 2]
    expect(await integration.run()).toMatchObject({ code: 3, sent: [] })
    total = 1
    expect(await integration.run()).toMatchObject({ code: 0, sent: ['remove attendees g1'] })
  })

  test('nothing is asked for twice where only a rule of exclude removes', async () => {
    const exclude = [{ name: 'test-people', content: 'attendees', where: { company: 'TEST' } }]
    const setup: Setup = { source: { type: 'a' }, content: ['attendees'], exclude }
    const users = ['u1', 'u2', 'u3', 'u4'].map((id) => aUser(id))
    const integration = await serveIntegration(database(), setup, {
      Users: [...users, aUser('u5', { EmailAddress: null })],
    })
    await integration.run()
    // What is gone as well was never an item.
    integration.hold({ Users: [aUser('u1', { Company: 'TEST' }), ...users.slice(1)] })
    const ended = await integration.run()
    expect(ended.sent).toEqual(['remove attendees u1'])
    expect(certificateOf(ended, 'users')).toMatchObject({ confirmed: '' })
  })

  test('a session that goes is looked for once more before a speaker goes with it', async () => {
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

  test('holds back only what it could be, and every face says so', async () => {
    const all = records(['s1', 's2', 's3', 's4', 's5', 's6'], ['Old'])
    const integration = await serveIntegration(database(), setup, all)
    await integration.run()

    // It was there when s6 was seen last, so it is not s6.
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

    // What goes later than that is gone.
    integration.hold(records(['s1', 's2'], ['Old', 'New']))
    expect(await integration.run()).toMatchObject({ sent: ['remove agenda s3'] })

    // Two that are alike are more than the one that was there.
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
