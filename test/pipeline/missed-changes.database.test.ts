import { describe, expect, test } from 'vitest'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { type Lie, startChanging } from './changing-source.ts'
import { newPlace } from './guarded-integration.ts'

// A full reading reports the records that earlier readings by changes have missed.

describe.each(engines)('misses of readings by changes, on %s', (engine) => {
  const database = useDatabase(engine)

  async function startThree() {
    const source = await startChanging(newPlace(database()))
    for (const name of ['r1', 'r2', 'r3']) source.put(name, -3000)
    source.put('r4', 0)
    await source.run()
    return source
  }

  test('a rollback does not change the marks of readings by changes, and the next run restores the items of the source', async () => {
    const source = await startThree()
    const { run: first } = (await source.run()).report
    source.put('r1', 5, { job_title: 'Miller' })
    source.put('r5', 5)
    expect(await source.run()).toMatchObject({ reading: 'changes', sent: ['upsert r1', 'upsert r5'] })
    const marks = () => database().kysely.selectFrom('sync.marks').selectAll().orderBy('resource').execute()
    const before = await marks()
    expect(await source.rollBack(first ?? '')).toMatchObject({ status: 'finished' })
    expect(await marks()).toEqual(before)
    await source.resume()
    expect(await source.run()).toMatchObject({
      code: 0,
      reading: 'changes',
      sent: ['upsert r1', 'upsert r5'],
    })
    expect(await source.run({ full: true })).toMatchObject({ code: 0, sent: [], missed: {} })
  })

  test.each<[string, string]>([
    ['a separate key', 'badge'],
    ['a nested key', 'badge.colour'],
    ['a key that is read anyway', 'company'],
    ['the time of the change', 'updated_at'],
  ])('a custom field with %s causes no miss when it is added or removed [R23]', async (_, from) => {
    const custom = { fields: { attendees: { extra: { from } } } }
    const source = await startThree()
    for (const name of ['r1', 'r2', 'r3', 'r4']) source.touch(name, { badge: { colour: 'red' } })
    await source.run()
    for (const own of [custom, {}, custom]) {
      expect(await source.run({}, {}, own)).toMatchObject({ code: 0, reading: 'full', missed: {} })
      expect(await source.run({}, {}, own)).toMatchObject({ code: 0, reading: 'changes' })
    }
    source.touch('r1', { job_title: 'Miller' })
    const found = await source.run({}, {}, {})
    expect(found).toMatchObject({
      reading: 'full',
      missed: { registrants: { count: 1, fields: { job_title: 1 } } },
    })
  })

  test('a custom field that was not configured while a reading was not proved causes no miss after it is configured again', async () => {
    const custom = { fields: { attendees: { extra: { from: 'badge' } } } }
    const source = await startThree()
    for (const name of ['r1', 'r2', 'r3', 'r4']) source.touch(name, { badge: 'red' })
    await source.run({}, {}, custom)
    await source.run({}, {}, custom)
    source.declaresMore(1)
    expect(await source.run({}, {}, {})).toMatchObject({ code: 3, reading: 'full', missed: {} })
    source.declaresMore(0)
    expect(await source.run({}, {}, custom)).toMatchObject({ code: 0, reading: 'full', missed: {} })
  })

  test.each<[string, Lie]>([
    ['is requested by its id', (kept) => kept],
    ['is read again, because the source refuses requests for ids', () => 422],
  ])(
    'a record that goes between the full reading and the search counts as gone, not as missed: it %s',
    async (_, lie) => {
      const source = await startThree()
      source.liesOfIds(lie)
      await source.run()
      source.put('r2', 5, { company: 'Mill' })
      source.put('r8', 5)
      source.put('r9', 5)
      source.doesWhenSearched(() => ['r2', 'r8'].map(source.drop))
      const full = await source.run({ full: true })
      expect(full).toMatchObject({ code: 0, reading: 'full', missed: {}, report: { notes: [] } })
      expect(full.sent).toEqual(['upsert r2', 'upsert r8', 'upsert r9'])
      source.doesWhenSearched(() => undefined)
      expect(await source.run({ full: true })).toMatchObject({ missed: {}, sent: ['remove r2', 'remove r8'] })
    },
  )

  test.each<[string, Lie]>([
    ['by its id', (kept) => kept],
    ['by a second reading', () => 422],
    ['without proof', (_, all) => all.map((row) => ({ ...row, id: null }))],
  ])('a record that the search lacks and that is found %s is a miss', async (_, lie) => {
    const source = await startThree()
    await source.run()
    source.put('r2', 5, { company: 'Mill' })
    source.put('r3', 5, { company: 'Quay' })
    source.lies((kept) => kept.filter(({ id }) => id !== 'r2'))
    source.liesOfIds(lie)
    expect(await source.run({ full: true })).toMatchObject({
      code: 3,
      missed: { registrants: { count: 1, fields: { company: 1 } } },
      figure: { missed_by_changes: '1', brought_by_full_reading: '1' },
    })
  })

  test('a record that one search misses is reported, even if a later search of the same run returns it', async () => {
    const source = await startThree()
    await source.run()
    source.put('r2', 5, { company: 'Mill' })
    source.drop('r3')
    let times = 0
    source.lies((kept) => {
      times += 1
      return times === 1 ? kept.filter(({ id }) => id !== 'r2') : kept
    })
    const ended = await source.run({ full: true })
    expect([times, ended.sent]).toEqual([2, ['upsert r2', 'remove r3']])
    expect(ended).toMatchObject({ code: 3, missed: { registrants: { count: 1, fields: { company: 1 } } } })
  })

  const WITHOUT_SEARCH =
    'it is not known whether readings of changes missed records, because the search for them cannot be used'

  test('the search for missed records ends at the first record that shows that the source ignores the filter', async () => {
    const source = await startThree()
    for (let more = 0; more < 8; more += 1) source.put(`s${more}`, -3000)
    await source.run({ full: true })
    await source.run()
    source.givesPagesOf(3)
    source.put('s7', 5, { company: 'Mill' })
    source.lies((_, all) => all)
    const ended = await source.run({ full: true })
    expect(ended.asked.filter((page) => page.startsWith('updated_at'))).toEqual([
      `updated_at>=${source.at(-60)}, page 1`,
    ])
    expect(ended).toMatchObject({ code: 0, sent: ['upsert s7'], missed: {} })
    expect(ended.report.notes).toEqual([
      `registrants: ${WITHOUT_SEARCH}: the answer has a record that was changed before that`,
    ])
  })

  test.each<[string, Lie, number, string]>([
    ['is refused with 403', () => 403, 1, 'answered 403'],
    ['is refused with 401', () => 401, 2, 'answered 401'],
    ['is refused with 400', () => 400, 1, 'the source answered 400'],
    ['breaks with 500', () => 500, 3, 'answered 500'],
    ['breaks with 503', () => 503, 3, 'answered 503'],
  ])('a full reading whose search %s succeeds with a note', async (_, lie, requests, why) => {
    const source = await startThree()
    await source.run()
    source.put('r2', 5, { company: 'Mill' })
    source.lies(lie)
    const ended = await source.run({ full: true })
    expect(ended).toMatchObject({ code: 0, reading: 'full', sent: ['upsert r2'], missed: {} })
    expect(ended.searches).toHaveLength(requests)
    expect(ended.report.notes).toEqual([`registrants: ${WITHOUT_SEARCH}: ${why}`])
    source.lies((kept) => kept)
    expect(await source.run()).toMatchObject({ code: 0, reading: 'changes', report: { notes: [] } })
  })
})
