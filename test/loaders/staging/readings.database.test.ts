import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { findLeftTables } from '../../../loaders/staging/readings.ts'
import { enterRun } from '../../support/runs.ts'
import { runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const database = useDatabase('postgres')

test('what an integration has left is found while another one drops its tables', async () => {
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
      // From here on this one sees both, though one of them is gone.
      await sql`select 1`.execute(transaction)
      await kysely.schema.withSchema('incoming').dropTable('of_another_one').execute()
      return findLeftTables(transaction, 'summit', runId(2))
    })
  expect([...found]).toEqual([`incoming.${own}`])
})
