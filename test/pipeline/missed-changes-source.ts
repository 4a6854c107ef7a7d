import { expect } from 'vitest'
import type { Database } from '../../sql/database.ts'
import { type Lie, startThree } from './changing-source.ts'

// A full reading reports the records that earlier readings by changes have missed.

export const WITHOUT_SEARCH =
  'it is not known whether readings of changes missed records, because the search for them cannot be used'

/** Expects that a full reading succeeds with a note if the search for missed records fails. */
export async function expectNote(database: Database, lie: Lie, requests: number, why: string) {
  const source = await startThree(database)
  await source.run()
  source.put('r2', 5, { company: 'Mill' })
  source.lies(lie)
  const ended = await source.run({ full: true })
  expect(ended).toMatchObject({ code: 0, reading: 'full', sent: ['upsert r2'], missed: {} })
  expect(ended.searches).toHaveLength(requests)
  expect(ended.report.notes).toEqual([`registrants: ${WITHOUT_SEARCH}: ${why}`])
  source.lies((kept) => kept)
  expect(await source.run()).toMatchObject({ code: 0, reading: 'changes', report: { notes: [] } })
}

/** Expects that a record that the search lacks is a miss if it is found in this way. */
export async function expectMiss(database: Database, lie: Lie) {
  const source = await startThree(database)
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
}
