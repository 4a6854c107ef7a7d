import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../../pipeline/database/migrate.ts'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { bothEngines, openEmptyEngine } from '../../support/engines.ts'
import { takenBack, useDatabase } from '../../support/use-database.ts'
import { dumpSchema } from './dump.ts'

const committed = readFileSync(new URL('schema.sql', import.meta.url), 'utf8')
const upgrades = join(packageRoot, 'test', 'upgrade')
const versions = readdirSync(upgrades, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
)

describe.each(bothEngines)('on %s', (engine) => {
  test('schema.sql is what migrations and views make: `npm run dictionary` writes it again', async () => {
    const database = await openEmptyEngine(engine)
    onTestFinished(() => database.close())
    await migrate(database)
    expect(await dumpSchema(database.kysely)).toBe(committed)
  })

  test.each(versions)('a database that %s made becomes the same', async (version) => {
    const database = await openEmptyEngine(engine)
    onTestFinished(() => database.close())
    await database.script(readFileSync(join(upgrades, version, 'database.sql'), 'utf8'))
    expect(await dumpSchema(database.kysely)).not.toBe(committed)
    await migrate(database)
    // A view keeps the order of the columns that it has, and a new one comes last.
    expect(wordsOf(await dumpSchema(database.kysely))).toEqual(wordsOf(committed))
  })
})

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,;]+/).toSorted()
}

describe('what no migration made is seen', () => {
  const database = useDatabase('pglite')

  test.each([
    ['a table', 'create table sync.more (id text)'],
    ['a column', 'alter table sync.runs add column more text'],
    ['a default', "alter table sync.runs alter column error set default ''"],
    ['a collation', 'alter table sync.runs alter column error type text collate "C"'],
    ['a constraint', 'alter table staging.a_users drop constraint a_users_not_empty'],
    ['a view', 'create view published.more as select 1 as one'],
    ['a function', "create function published.more() returns int language sql as 'select 1'"],
    ['a comment', "comment on column sync.runs.error is 'Other.'"],
    ['a type of its own', "create type published.more as enum ('a')"],
    ['a sequence', 'create sequence published.more'],
  ])('%s', async (_, statement) => {
    const dumped = await takenBack(database(), async (transaction) => {
      await sql.raw(statement).execute(transaction)
      return dumpSchema(transaction)
    })
    expect(dumped).not.toBe(committed)
    expect(await dumpSchema(database().kysely)).toBe(committed)
  })
})
