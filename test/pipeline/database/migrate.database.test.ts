import { sql } from 'kysely'
import { describe, expect, inject, test } from 'vitest'
import { openQueue } from '../../../pipeline/database/job-queue.ts'
import { applyFile, findObstacle, migrate, migrationLedger } from '../../../pipeline/database/migrate.ts'
import { openPostgres } from '../../../pipeline/database/postgres.ts'
import type { Database } from '../../../sql/database.ts'
import { bothEngines, openEmptyEngine } from '../../support/engines.ts'
import { createDatabase } from '../../support/postgres.ts'
import { objectsOf, useOpenDatabases } from './migrated-databases.ts'

const open = useOpenDatabases()

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
  test('each migration file is applied once, a second migration changes nothing, and a changed file is refused', async () => {
    const database = await openEmptyEngine(engine)
    open.push(database)
    await migrate(database)
    const first = await appliedTo(database)
    expect(first.map(({ name }) => name)).toContain('migrations/0001-staging.sql')
    expect(first.map(({ name }) => name)).toContain('migrations/0002-ledger.sql')
    await migrate(database)
    expect(await appliedTo(database)).toEqual(first)

    await database.script(
      "update migration.applied set sha256 = 'older' where name = 'migrations/0002-ledger.sql'",
    )
    await expect(migrate(database)).rejects.toThrow(
      'migration 0002-ledger.sql is not the one that this database was made with',
    )
  })

  test('a database that a newer version upgraded is refused and stays unchanged', async () => {
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

  test('a migration that is added later is applied once', async () => {
    const database = await openEmptyEngine(engine)
    open.push(database)
    await migrate(database)
    const text = 'create table sync.later (at integer); insert into sync.later values (1);'
    const later = { kind: 'migrations', name: '0900-later.sql', sha256: 'of later', text } as const
    for (const _ of [1, 2]) await database.script(applyFile(later))
    const { rows } = await sql`select at from sync.later`.execute(database.kysely)
    expect(rows).toEqual([{ at: 1 }])
    await expect(
      database.script(applyFile({ ...later, sha256: 'of another', text: 'drop table sync.later' })),
    ).rejects.toThrow('migration 0900-later.sql is not the one that this database was made with')
  })

  test('a database of a version earlier than the first release is refused', async () => {
    const database = await openEmptyEngine(engine)
    open.push(database)
    await database.script(
      `${migrationLedger} insert into migration.applied (name, sha256) values ('migrations/0002-sync.sql', ''), ('migrations/0900-later.sql', '')`,
    )
    await expect(migrate(database)).rejects.toMatchObject({
      code: 'state',
      message:
        'the database is of a version before 1.0.0, which is not upgraded; give event-content-sync a new database; nothing was changed',
    })
  })

  test('a view is rebuilt if its text has changed', async () => {
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

  test('foreign schemas with other names are accepted, and a database with only some migrations gets the remaining migrations', async () => {
    const database = await openEmptyEngine(engine)
    open.push(database)
    await database.script('create schema staging_of_sales; create schema "Sync"; create table runs (id int)')
    await database.script(migrationLedger)
    await migrate(database)
    await database.script(
      `drop schema published cascade;
       delete from migration.applied where name >= 'migrations/0009' or name like 'views/%'`,
    )
    expect(await findObstacle(database)).toBeNull()
    await database.script('create schema published')
    await expect(migrate(database)).rejects.toThrow('a schema named published')
  })

  test('a worker refuses a schema named queue that event-content-sync did not create', async () => {
    const database = await openEmptyEngine(engine)
    open.push(database)
    await migrate(database)
    await database.script('create schema queue; create table queue.tickets (id int)')
    const before = await objectsOf(database)
    await expect(openQueue(database, false, () => undefined)).rejects.toThrow(
      'the database has a schema named queue that event-content-sync did not make; rename it',
    )
    expect(await objectsOf(database)).toEqual(before)
  })
})

test('the error for a user who may not create schemas names the missing right, and nothing is created', async () => {
  const url = new URL(await createDatabase(inject('postgresUrl')))
  const owner = await openPostgres(url.href)
  open.push(owner)
  const role = `no_schemas_${url.pathname.slice(1)}`.slice(0, 60)
  await owner.script(`create role ${role} login password 'x'`)
  const visitor = await openPostgres(Object.assign(new URL(url), { username: role, password: 'x' }).href)
  try {
    const before = await objectsOf(owner)
    await expect(migrate(visitor)).rejects.toMatchObject({
      code: 'state',
      message: expect.stringMatching(
        /^the user \w+ may not create schemas in the database \w+; let its owner run `grant create on database \w+ to \w+`, /,
      ),
    })
    expect(await objectsOf(owner)).toEqual(before)
    await owner.script(`grant create on database ${url.pathname.slice(1)} to ${role}`)
    expect(await findObstacle(visitor)).toBeNull()
    await migrate(owner)
    await expect(migrate(visitor)).rejects.toThrow(
      'this user may not read the schema named migration in the database; if event-content-sync made that schema, let its owner run sql/roles/grant.sql',
    )
    await owner.script(`revoke create on database ${url.pathname.slice(1)} from ${role}`)
  } finally {
    await visitor.close()
    await owner.script(`drop role ${role}`)
  }
})

test('if several processes migrate an empty database at the same time, each finds it complete afterwards', async () => {
  const url = await createDatabase(inject('postgresUrl'))
  for (let count = 0; count < 3; count += 1) open.push(await openPostgres(url))
  await Promise.all(open.map((database) => migrate(database)))
  for (const database of open) {
    expect((await appliedTo(database)).length).toBeGreaterThan(1)
    await database.kysely.selectFrom('sync.runs').selectAll().execute()
  }
})
