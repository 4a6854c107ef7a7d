import { describe, expect, test } from 'vitest'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { type Lie, startThree } from './changing-source.ts'
import { expectMiss, expectNote, WITHOUT_SEARCH } from './missed-changes-source.ts'

describe.each(engines)('misses of readings by changes, on %s', (engine) => {
  const database = useDatabase(engine)

  test('a custom field that was not configured while a reading was not proved causes no miss after it is configured again', async () => {
    const custom = { fields: { attendees: { extra: { from: 'badge' } } } }
    const source = await startThree(database())
    for (const name of ['r1', 'r2', 'r3', 'r4']) source.touch(name, { badge: 'red' })
    await source.run({}, {}, custom)
    await source.run({}, {}, custom)
    source.declaresMore(1)
    expect(await source.run({}, {}, {})).toMatchObject({ code: 3, reading: 'full', missed: {} })
    source.declaresMore(0)
    expect(await source.run({}, {}, custom)).toMatchObject({ code: 0, reading: 'full', missed: {} })
  })

  test.each<[string, Lie]>([['by its id', (kept) => kept]])(
    'a record that the search lacks and that is found %s is a miss',
    (_, lie) => expectMiss(database(), lie),
  )

  test('a record that one search misses is reported, even if a later search of the same run returns it', async () => {
    const source = await startThree(database())
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

  test('the search for missed records ends at the first record that shows that the source ignores the filter', async () => {
    const source = await startThree(database())
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

  test.each<[string, Lie, number, string]>([['is refused with 403', () => 403, 1, 'answered 403']])(
    'a full reading whose search %s succeeds with a note',
    (_, lie, requests, why) => expectNote(database(), lie, requests, why),
  )
})
