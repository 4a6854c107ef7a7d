// On both engines: migrations are of each engine.
import { sql } from 'kysely'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { migrate } from '../../../pipeline/database/migrate.ts'
import { openPostgres } from '../../../pipeline/database/postgres.ts'
import type { Database } from '../../../sql/database.ts'
import { bothEngines, openEmptyEngine } from '../../support/engines.ts'
import { createDatabase } from '../../support/postgres.ts'

const open: Database[] = []
afterEach(async () => {
  for (const database of open.splice(0)) await database.close()
})

interface Applied {
  readonly name: string
  readonly sha256: string
}

async function appliedTo(database: Database): Promise<readonly Applied[]> {
  const { rows } = await sql<Applied>`select name, sha256, xmin::text, applied_at::text
    from migration.applied order by name collate "C"`.execute(database.kysely)
  return rows
}

describe.each(bothEngines)('on %s', (engine) => {
  test('each file is applied once; again is nothing; one that was changed is refused', async () => {
    const database = await openEmptyEngine(engine)
    open.push(database)
    await migrate(database)
    const first = await appliedTo(database)
    expect(first.map(({ name }) => name)).toContain('migrations/0001-staging.sql')
    expect(first.map(({ name }) => name)).toContain('migrations/0002-sync.sql')
    await migrate(database)
    expect(await appliedTo(database)).toEqual(first)

    await database.script(
      "update migration.applied set sha256 = 'older' where name = 'migrations/0002-sync.sql'",
    )
    await expect(migrate(database)).rejects.toThrow(
      'migration 0002-sync.sql is not the one that this database was made with',
    )
  })

  test('a database that a newer version upgraded is refused, and left as it is', async () => {
    const database = await openEmptyEngine(engine)
    open.push(database)
    await migrate(database)
    await database.script(
      `insert into migration.applied (name, sha256) values ('migrations/0999-later.sql', '');
       update migration.applied set sha256 = 'newer' where name = 'views/10-runs.sql'`,
    )
    const before = await appliedTo(database)
    await expect(migrate(database)).rejects.toThrow(
      'the database was upgraded by a newer version of event-content-sync (migrations/0999-later.sql); upgrade this one',
    )
    expect(await appliedTo(database)).toEqual(before)
  })

  test('a view is rebuilt where its text is new', async () => {
    const database = await openEmptyEngine(engine)
    open.push(database)
    await migrate(database)
    const first = await appliedTo(database)
    await database.script("update migration.applied set sha256 = 'older' where name like 'views/%'")
    await migrate(database)
    expect((await appliedTo(database)).map(({ name, sha256 }) => ({ name, sha256 }))).toEqual(
      first.map(({ name, sha256 }) => ({ name, sha256 })),
    )
  })
})

test('several processes that start at once on an empty database all find it made', async () => {
  const url = await createDatabase(inject('postgresUrl'))
  for (let count = 0; count < 3; count += 1) open.push(await openPostgres(url))
  await Promise.all(open.map((database) => migrate(database)))
  for (const database of open) {
    expect((await appliedTo(database)).length).toBeGreaterThan(1)
    await database.kysely.selectFrom('sync.runs').selectAll().execute()
  }
})
