import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DBT, PYTHON, passes } from '../../proofs/tools/tools.ts'
import type { Started } from './command-line.ts'
import { makeDbtProject, runTool } from './dbt-project.ts'
import { startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

describe('other programs query the embedded database of a process', () => {
  let workspace: Workspace
  let server: Started
  let address: {
    readonly host: string
    readonly port: number
    readonly database: string
    readonly user: string
  }
  let sources: string
  const ends: (() => unknown)[] = []
  beforeAll(async () => {
    const source = await startScriptedSource(smallEvent, (end) => ends.push(end))
    workspace = await makeWorkspace('pglite', false, (end) => ends.push(end))
    workspace.configure(configOfA(source.url))
    expect((await workspace.run('run')).code).toBe(0)
    sources = (await workspace.run('dbt-sources')).stdout
    server = workspace.start('serve-database', '--port', '0', '--json')
    while (server.output.stdout === '') await Promise.race([sleep(5), server.ended])
    address = JSON.parse(server.output.stdout)
  })
  afterAll(async () => {
    server.kill('SIGINT')
    expect(await server.ended).toMatchObject({ code: 130, stderr: '' })
    expect((await workspace.run('run')).code).toBe(0)
    for (const end of ends) await end()
  })

  const variables = () => ({
    PGHOST: address.host,
    PGPORT: String(address.port),
    PGUSER: address.user,
    PGDATABASE: address.database,
    PGPASSFILE: join(workspace.folder, '.event-sync', 'reader-password'),
  })

  test.skipIf(!passes('psql', '--version'))(
    'psql reads, describes and copies a view, and cannot write',
    async () => {
      const psql = (...args: readonly string[]) =>
        runTool('psql', ['-X', '-At', ...args], workspace.folder, variables())
      expect(await psql('-c', 'select count(*) from published.agenda')).toEqual({ code: 0, output: '2\n' })
      expect((await psql('-c', '\\d+ published.agenda')).output).toContain('start_time')
      expect(
        (await psql('-c', '\\copy (select unique_id from published.agenda order by 1) to stdout')).output,
      ).toMatch(/^\d+\n\d+\n$/)
      expect((await psql('-c', 'delete from sync.runs')).output).toContain(
        'permission denied for schema sync',
      )
      expect((await psql('-c', 'reset role')).output).toContain('cannot set parameter "role"')
    },
  )

  test.skipIf(!passes(PYTHON, '-c', 'import psycopg'))(
    'psycopg reads with prepared statements, a server-side cursor and two connections at once',
    async () => {
      const program = `
import psycopg
with psycopg.connect() as one, psycopg.connect(autocommit=True) as other:
    for _ in range(8):
        one.execute("select unique_id from published.agenda where unique_id = %s", ["101"]).fetchall()
        one.commit()
        assert other.execute("select %s::int", [7]).fetchone() == (7,)
    with one.cursor(name="rows") as cursor:
        cursor.execute("select unique_id from published.agenda")
        print(len(cursor.fetchall()))
    try:
        one.execute("insert into sync.runs select * from sync.runs")
    except psycopg.errors.InsufficientPrivilege:
        print("refused")
`
      expect(await runTool(PYTHON, ['-c', program], workspace.folder, variables())).toEqual({
        code: 0,
        output: '2\nrefused\n',
      })
    },
  )

  test.skipIf(!passes(DBT, '--version'))(
    'dbt connects, shows a model with two threads, and cannot build',
    async () => {
      const folder = join(workspace.folder, 'dbt')
      const { host, port, user, database: dbname } = address
      const password = workspace.read('.event-sync', 'reader-password').trim().split(':').at(-1) ?? ''
      makeDbtProject(folder, sources, { host, port, user, dbname, password })
      const dbt = (...args: readonly string[]) =>
        runTool(DBT, ['--no-use-colors', ...args, '--project-dir', '.', '--profiles-dir', '.'], folder)
      const debug = await dbt('debug')
      expect(debug.code, debug.output).toBe(0)
      const shown = await dbt('show', '--select', 'sessions')
      expect(shown.code, shown.output).toBe(0)
      expect(shown.output).toContain('local_start')
      expect((await dbt('source', 'freshness')).output).toMatch(/PASS freshness of published/)
      const built = await dbt('run')
      expect([built.code, built.output]).toEqual([
        expect.any(Number),
        expect.stringMatching(/read-only transaction|permission denied/),
      ])
      expect(built.code).not.toBe(0)
    },
  )
})
