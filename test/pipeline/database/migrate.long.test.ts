import { describe, expect, inject, test } from 'vitest'
import { findObstacle, migrate } from '../../../pipeline/database/migrate.ts'
import { openPostgres } from '../../../pipeline/database/postgres.ts'
import { UserError } from '../../../pipeline/settings/errors.ts'
import { bothEngines, openEmptyEngine } from '../../support/engines.ts'
import { objectsOf, useOpenDatabases } from './migrated-databases.ts'

const open = useOpenDatabases()

describe.each(bothEngines)('on %s', (engine) => {
  test.each([
    ['an empty schema', 'create schema staging', 'a schema named staging'],
    ['a schema with a table', 'create schema sync; create table sync.runs (id int)', 'a schema named sync'],
    ['two schemas', 'create schema published; create schema staging', 'schemas named staging and published'],
    ['the schema of readings', 'create schema incoming', 'a schema named incoming'],
    ['the schema of migrations', 'create schema migration', 'a schema named migration'],
    [
      'another list of migrations',
      'create schema migration; create table migration.applied (id int)',
      'a schema named migration',
    ],
    ['the schema of the job queue', 'create schema queue', 'a schema named queue'],
  ])(
    'a foreign schema with the name of a product schema is refused, and nothing is created: %s',
    async (_, script, named) => {
      const database = await openEmptyEngine(engine)
      open.push(database)
      await database.script(script)
      const before = await objectsOf(database)
      const refusal = await migrate(database).catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(UserError)
      expect(refusal).toMatchObject({
        code: 'state',
        what: `the database has ${named} that event-content-sync did not make`,
      })
      expect((refusal as UserError).todo).toMatch(
        /^it makes the schemas staging, incoming, sync, published, migration and queue itself: .*; nothing was made$/,
      )
      expect(await objectsOf(database)).toEqual(before)
      expect(await findObstacle(database)).toEqual(refusal)
    },
  )
})

test.each(['LATIN1', 'SQL_ASCII', 'EUC_JP'])(
  'a database with the encoding %s is refused',
  async (encoding) => {
    const server = inject('postgresUrl')
    const name = `in_${encoding.toLowerCase()}_${process.pid}`
    const admin = await openPostgres(server)
    open.push(admin)
    await admin.executeSql(`create database ${name} encoding '${encoding}' locale 'C' template template0`)
    try {
      const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
      await expect(openPostgres(url)).rejects.toMatchObject({
        code: 'state',
        message: expect.stringMatching(
          new RegExp(
            `^the database is in the encoding ${encoding}, .*create one in UTF8 .*; nothing was made$`,
          ),
        ),
      })
    } finally {
      await admin.executeSql(`drop database ${name}`)
    }
  },
)
