import { describe, expect, onTestFinished, test } from 'vitest'
import { openPlace, runLast, sourceAt } from '../harness/place.ts'
import { serveRecords } from '../harness/serve-records.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { bRegistrant } from '../traps/traps-of-b.ts'
import { newPlace } from './guarded-integration.ts'
import { ATTENDEES_B, expectSecondReading, type IdAnswer, refused, startB } from './second-look-source.ts'

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)

  test.each<[string, IdAnswer, number]>([
    ['refuses the request with 401', refused(401), 2],
    ['refuses the request with 403', refused(403), 1],
    ['answers 404', refused(404), 1],
    ['answers 414 because the address is too long', refused(414), 1],
    ['answers 500 each time', refused(500), 3],
    ['answers 503 each time', refused(503), 3],
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
  ])('all records are read a second time if a source that is asked for ids %s', (_, answer, questions) =>
    expectSecondReading(database(), answer, questions),
  )

  test.each<[string, (record: ReturnType<typeof bRegistrant>) => unknown]>([
    ['the id alone', ({ id }) => ({ id })],
    ['no e-mail address', ({ email: _, ...rest }) => rest],
    ['an empty name', (record) => ({ ...record, first_name: '', last_name: null })],
  ])('a source that returns %s for each requested id overwrites nothing', async (_, less) => {
    const source = await startB(database(), new Map(), ATTENDEES_B, ({ found, page }) =>
      page(found.map(less)),
    )
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
    const source = await startB(database(), new Map(), ATTENDEES_B, ({ found, page }) => {
      title = 'now'
      return page(found.map((record) => ({ ...record, job_title: title })))
    })
    await source.run()
    const ended = await source.run({ '1': ['g1', 'g2', 'g3', 'g5', 'g6', 'g7'] })
    expect(ended).toMatchObject({ code: 0, sent: ['remove attendees g4'], asked: { length: 5 } })
    expect(title).toBe('now')
  })

  test('if a known record disappears before it is requested by its id, the answer proves nothing, and all records are read again', async () => {
    const source = await startB(database())
    await source.run()
    const ended = await source.run({
      '1': ['g1', 'g2', 'g3', 'g5', 'g6', 'g7'],
      '3': ['g2', 'g3', 'g5', 'g6', 'g7'],
    })
    expect(ended).toMatchObject({ sent: ['remove attendees g4'], code: 0 })
    expect(ended.asked).toEqual(['page 1', 'page 2', 'ids g1 g4 g7', 'page 1', 'page 2'])
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
})
