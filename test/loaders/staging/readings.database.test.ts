import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  findLeftTables,
  findReadings,
  forgetProgress,
  lockReadings,
  saveReading,
} from '../../../loaders/staging/readings.ts'
import { enterRun } from '../../support/runs.ts'
import { runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const database = useDatabase('postgres')

test('tables that an integration left behind are found even while another integration drops its own tables', async () => {
  const { kysely } = database()
  await enterRun(kysely, 1, { integrationId: 'summit' })
  const own = `${runId(1).replaceAll('-', '')}_users`
  for (const name of [own, 'of_another_one']) {
    await kysely.schema.withSchema('incoming').createTable(name).addColumn('ordinal', 'bigint').execute()
  }
  const found = await kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      // This transaction still sees both tables, although one of them is dropped now.
      await sql`select 1`.execute(transaction)
      await kysely.schema.withSchema('incoming').dropTable('of_another_one').execute()
      return findLeftTables(transaction, 'summit', runId(2))
    })
  expect([...found]).toEqual([`incoming.${own}`])
})

test('a run that pauses after its reading causes no deadlock with the next run', async () => {
  const { kysely } = database()
  const key = (resource: string) => ({ integrationId: 'sleeper', runId: runId(1), resource })
  for (const [resource, minute] of [
    ['older', '00'],
    ['newer', '01'],
  ] as const) {
    const totals = { elements: 0, faults: 0, forgotten: 0, checksum: 0n }
    const how = { shape: '', cursor: null, requests: 0, attempts: 0, endProof: null, declared: null }
    await saveReading(kysely, key(resource), { ...how, totals, savedAt: `2031-05-04T12:${minute}:00Z` }, [])
  }
  let following: Promise<readonly unknown[]> = Promise.resolve([])
  await kysely.transaction().execute(async (sleeper) => {
    await lockReadings(sleeper, 'sleeper')
    await forgetProgress(sleeper, key('older'))
    following = kysely.transaction().execute((next) => findReadings(next, 'sleeper'))
    await expect
      .poll(async () => {
        const { rows } = await sql<{ waits: boolean }>`select exists (
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
      ) as waits`.execute(kysely)
        return rows[0]?.waits
      })
      .toBe(true)
    await forgetProgress(sleeper, key('newer'))
  })
  expect(await following).toEqual([])
})
