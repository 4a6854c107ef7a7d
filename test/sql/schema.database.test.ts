import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../pipeline/database/migrate.ts'
import { openEmptyEngine } from '../support/engines.ts'
import { takenBack, useDatabase } from '../support/use-database.ts'
import { dumpSchema } from './dump-schema.ts'

const embedded = useDatabase('pglite')

test('the migrations create the same schema on PostgreSQL and on the embedded engine', async () => {
  const database = await openEmptyEngine('postgres')
  onTestFinished(() => database.close())
  await migrate(database)
  expect(await dumpSchema(database.kysely)).toBe(await dumpSchema(embedded().kysely))
})

describe('the dump shows a change that no migration made', () => {
  test.each([
    ['a table', 'create table sync.more (id text)'],
    ['a column', 'alter table sync.runs add column more text'],
    ['a default', "alter table sync.runs alter column error set default ''"],
    ['a collation', 'alter table sync.runs alter column event_name type text collate "C"'],
    ['a constraint', 'alter table staging.a_users drop constraint a_users_not_empty'],
    ['a view', 'create view published.more as select 1 as one'],
    ['a function', "create function published.more() returns int language sql as 'select 1'"],
    ['a comment', "comment on column sync.runs.error is 'Other.'"],
    ['a type of its own', "create type published.more as enum ('a')"],
    ['a sequence', 'create sequence published.more'],
  ])('%s', async (_, statement) => {
    const before = await dumpSchema(embedded().kysely)
    const dumped = await takenBack(embedded(), async (transaction) => {
      await sql.raw(statement).execute(transaction)
      return dumpSchema(transaction)
    })
    expect(dumped).not.toBe(before)
    expect(await dumpSchema(embedded().kysely)).toBe(before)
  })
})
