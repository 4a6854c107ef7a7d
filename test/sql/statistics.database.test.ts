import { type Kysely, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { analyzeAfter } from '../../sql/statistics.ts'
import type { Tables } from '../../sql/tables.ts'
import { desire, type Item } from '../support/desired.ts'
import { engines } from '../support/engines.ts'
import { enterIntegration } from '../support/staged.ts'
import { takenBack, useDatabase } from '../support/use-database.ts'

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)

  const known = async (db: Kysely<Tables>) => {
    const columns = await sql<{ column: string }>`select attname as column
      from pg_stats
      where schemaname = 'sync'
        and tablename = 'desired_items'
      order by attname`.execute(db)
    const size = await sql<{ rows: number }>`select reltuples as rows
      from pg_class
      where oid = 'sync.desired_items'::regclass`.execute(db)
    return { columns: columns.rows.map(({ column }) => column), rows: size.rows[0]?.rows }
  }
  const write = async (db: Kysely<Tables>, count: number) => {
    await desire(
      db,
      Array.from({ length: count }, (_, place): Item => ['agenda', `S${place}`, { name: `Talk ${place}` }]),
    )
    await analyzeAfter(db, 'sync.desired_items', BigInt(count))
  }

  test("the planner's statistics are updated for many new rows but not for a few, and leave out documents", async () => {
    await takenBack(database(), async (transaction) => {
      await enterIntegration(transaction)
      await write(transaction, 600)
      const first = await known(transaction)
      expect(first.rows).toBe(600)
      expect(first.columns).toContain('unique_id')
      expect(first.columns).not.toContain('fields')
      await write(transaction, 400)
      expect((await known(transaction)).rows).toBe(600)
    })
  })
})
