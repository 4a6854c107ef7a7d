import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { inRolledBack } from '../../../pipeline/database/rolled-back.ts'
import type { Cell, Database } from '../../../sql/database.ts'
import { bothEngines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'

/** Rows with values that need special care in JSON, in COPY or in a list. */
const ROWS: readonly (readonly Cell[])[] = [
  [1, 'plain', ['a', 'b'], true, '\\x00ff', '{"n": 12345678901234567890}', '2031-05-04T13:00:00Z'],
  [2, 'tab\tline\nquote"back\\slash', ['', 'a"b', 'c\\d', 'e,f', '{g}'], false, '\\x', '[]', null],
  [9_007_199_254_740_991, '\u{1f600} null', [], null, null, '"text"', '2031-05-04T13:00:00.123456Z'],
]
const COLUMNS = ['id', 'said', 'list', 'flag', 'bytes', 'doc', 'at']

// These tests run on both engines, because the engines differ in how a statement waits for another statement
// on the same connection.
describe.each(bothEngines)('on %s, a transaction that is rolled back', (engine) => {
  const database = useDatabase(engine)
  const insert = (db: Database['kysely'], id: string) =>
    sql`insert into sync.rate_budgets (host) values (${id})`.execute(db)

  test('a transaction that is rolled back stores the same values as COPY, and only its own work sees the rows', async () => {
    const write = async (into: Database, table: string) => {
      await sql`create table ${sql.table(table)}
        (id bigint, said text, list text[], flag boolean, bytes bytea, doc jsonb, at timestamptz)`.execute(
        into.kysely,
      )
      const sink = into.copyInto(table, COLUMNS)
      for (const row of ROWS) await sink.write(row)
      await sink.commit()
      await sink.close()
      const { rows } = await sql<{ row: string }>`
        select one::text as row from ${sql.table(table)} one order by id`.execute(into.kysely)
      return rows
    }
    const copied = await write(database(), 'incoming.copied')
    const inserted = await inRolledBack(database(), (inside) => write(inside, 'incoming.inserted'))
    expect(inserted).toEqual(copied)
    const { rows } = await sql`select from pg_tables where tablename = 'inserted'`.execute(database().kysely)
    expect(rows).toEqual([])
    await sql`drop table incoming.copied`.execute(database().kysely)
  })

  test('if several transactions run within a transaction that is rolled back, a failed one undoes only its own rows', async () => {
    const found = await inRolledBack(database(), async (inside) => {
      const results = await Promise.allSettled(
        ['one', 'two', 'three'].map((id) =>
          inside.transaction(async (transaction) => {
            await insert(transaction, id)
            if (id === 'two') await sql`select 1 / 0`.execute(transaction)
          }),
        ),
      )
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      const { rows } = await sql<{ host: string }>`
        select host from sync.rate_budgets order by host`.execute(inside.kysely)
      return rows.map(({ host }) => host)
    })
    expect(found).toEqual(['one', 'three'])
  })

  test('a transaction that is rolled back passes on the error of its work', async () => {
    const failure = new Error('no')
    const work = inRolledBack(database(), async (inside) => {
      await insert(inside.kysely, 'four')
      throw failure
    })
    await expect(work).rejects.toBe(failure)
    const { rows } = await sql`select from sync.rate_budgets`.execute(database().kysely)
    expect(rows).toEqual([])
  })
})
