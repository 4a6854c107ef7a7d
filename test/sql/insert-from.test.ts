import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import { expect, test } from 'vitest'
import { insertFrom } from '../../sql/insert-from.ts'
import type { Tables } from '../../sql/tables.ts'

const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

test('each selected expression is inserted into the column with its name, whatever kind of expression it is', () => {
  const rows = db
    .selectFrom('sync.unseen as unseen')
    .select((eb) => [
      'unseen.integration_id',
      eb.val('r').as('run_id'),
      'resource',
      sql<string>`lower(unseen.source_id)`.as('source_id'),
    ])
  expect(insertFrom(db, 'sync.unseen', rows).compile().sql).toBe(
    'insert into "sync"."unseen" ("integration_id", "run_id", "resource", "source_id") ' +
      'select "unseen"."integration_id", $1 as "run_id", "resource", lower(unseen.source_id) as "source_id" ' +
      'from "sync"."unseen" as "unseen"',
  )
})

test('if the column names of a query are unknown, the query is refused', () => {
  expect(() => insertFrom(db, 'sync.unseen', db.selectFrom('sync.unseen').selectAll())).toThrow(
    'a selection without a name of its own: SelectAllNode',
  )
})
