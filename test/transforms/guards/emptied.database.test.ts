import { describe, expect, test } from 'vitest'
import { findEmptied, type GuardedResource } from '../../../transforms/guards/check-plan.ts'
import { engines } from '../../support/engines.ts'
import { INTEGRATION, insertStaged, runId, type StagedRows } from '../../support/staged.ts'
import { takenBack, useDatabase } from '../../support/use-database.ts'

const RESOURCES: readonly GuardedResource[] = [
  { name: 'sessions', table: 'staging.a_sessions', contents: ['agenda'] },
  { name: 'rooms', table: 'staging.a_rooms', contents: [] },
]
const closed = { valid_from_run: runId(1), valid_to_run: runId(7) }

describe.each(engines)('a resource that had records and has none, on %s', (engine) => {
  const database = useDatabase(engine)
  const hitOf = (rows: StagedRows, applied = 5) =>
    takenBack(database(), async (transaction) => {
      await insertStaged(transaction, rows)
      return findEmptied(transaction, INTEGRATION, runId(applied), RESOURCES)
    })

  test('a resource that had records and has none is reported with the number of its records', async () => {
    const sessions = ['1', '2', '3'].map((source_id) => ({ source_id, ...closed }))
    const hit = await hitOf({ 'staging.a_sessions': sessions })
    expect(hit).toMatchObject({ guard: 'emptied', onlyRemovals: true })
    expect(hit?.detail).toContain('sessions had 3 records and has none now')
  })

  test('an emptied resource that is a lookup causes other changes than removals', async () => {
    const hit = await hitOf({
      'staging.a_sessions': [{ source_id: '1', ...closed }],
      'staging.a_rooms': [{ source_id: '1', ...closed }],
    })
    expect(hit?.onlyRemovals).toBe(false)
    expect(hit?.detail).toContain('sessions had 1 record and has none now, rooms had 1 record and')
  })

  test.each<[string, StagedRows]>([
    ['it never had any', {}],
    ['one is left', { 'staging.a_rooms': [{ source_id: '1', ...closed }, { source_id: '2' }] }],
    [
      'another integration had them',
      { 'staging.a_rooms': [{ source_id: '1', ...closed, integration_id: 'expo' }] },
    ],
  ])('is not reported if %s', async (_, rows) => {
    expect(await hitOf(rows)).toBeNull()
  })

  test('the emptied guard counts the records of the applied run, including those that the next run closed', async () => {
    const rows = { 'staging.a_rooms': [{ source_id: '1', valid_from_run: runId(5), valid_to_run: runId(6) }] }
    expect(await hitOf(rows, 5)).not.toBeNull()
    expect(await hitOf(rows, 4)).toBeNull()
    expect(await hitOf(rows, 6)).toBeNull()
  })
})
