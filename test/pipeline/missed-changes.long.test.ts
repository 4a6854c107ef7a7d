import { describe, expect, test } from 'vitest'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { type Lie, startThree } from './changing-source.ts'
import { expectMiss, expectNote } from './missed-changes-source.ts'

describe.each(engines)('misses of readings by changes, on %s', (engine) => {
  const database = useDatabase(engine)

  test('a rollback does not change the marks of readings by changes, and the next run restores the items of the source', async () => {
    const source = await startThree(database())
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
    const source = await startThree(database())
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

  test.each<[string, Lie]>([
    ['is requested by its id', (kept) => kept],
    ['is read again, because the source refuses requests for ids', () => 422],
  ])(
    'a record that goes between the full reading and the search counts as gone, not as missed: it %s',
    async (_, lie) => {
      const source = await startThree(database())
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
    ['by a second reading', () => 422],
    ['without proof', (_, all) => all.map((row) => ({ ...row, id: null }))],
  ])('a record that the search lacks and that is found %s is a miss', (_, lie) => expectMiss(database(), lie))

  test.each<[string, Lie, number, string]>([
    ['is refused with 401', () => 401, 2, 'answered 401'],
    ['is refused with 400', () => 400, 1, 'the source answered 400'],
    ['breaks with 500', () => 500, 3, 'answered 500'],
    ['breaks with 503', () => 503, 3, 'answered 503'],
  ])('a full reading whose search %s succeeds with a note', (_, lie, requests, why) =>
    expectNote(database(), lie, requests, why),
  )
})
