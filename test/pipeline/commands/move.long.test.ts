import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { withContext } from '../../../pipeline/commands/session.ts'
import { silent } from '../../../pipeline/runtime/events.ts'
import { runJob } from '../../../pipeline/worker/work.ts'
import { countChanges } from '../../../sql/tables.ts'
import { SEALING_KEY } from '../../harness/place.ts'
import { bothEngines, type Engine } from '../../support/engines.ts'
import { createDatabase } from '../../support/postgres.ts'
import { openTestIo } from './in-process.ts'
import { holdBack, startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const REFUSED =
  /^this database was moved at \S+Z and refuses runs; set `database` in the configuration to the new one; nothing was changed, platform untouched\n$/
const NOTE =
  /^note: this database was moved at \S+Z and refuses runs; set `database` in the configuration to the new one\n$/

/**
 * Makes a workspace with two integrations, of which one has run, and with the address of an empty database.
 */
async function begin(engine: Engine) {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace(engine)
  workspace.env.EVENT_SYNC_KEY = SEALING_KEY
  workspace.env.NEW_URL = await createDatabase(inject('postgresUrl'))
  workspace.configure({
    sealingKey: 'env:EVENT_SYNC_KEY',
    http: { retryBudgetSeconds: 0 },
    integrations: [integrationOfA('summit', source.url), integrationOfA('expo', source.url)],
  })
  expect(await workspace.run('run', 'summit')).toMatchObject({ code: 0 })
  return { source, workspace }
}

/** Changes the configuration as the output of `move` tells the user. */
function useNew({ folder }: Workspace): void {
  const path = join(folder, 'event-sync.yaml')
  const { database: _, ...config } = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ database: 'env:NEW_URL', ...config }))
}

async function statusesOf(workspace: Workspace) {
  const { integrations } = JSON.parse((await workspace.run('status', '--json')).stdout)
  return integrations.map(({ secondsSinceSuccess: _, ...status }: Record<string, unknown>) => status)
}

// This test needs both engines, because another driver reads the embedded database, and reads it without
// locks.
describe.each(bothEngines)('move from %s', (engine) => {
  test('runs, packs, suppressions, forgotten people and a held plan continue in the new database, and the old database refuses runs', async () => {
    const { source, workspace } = await begin(engine)
    expect(await workspace.run('suppress', 'summit', 'agenda', '102')).toMatchObject({ code: 0 })
    expect(await workspace.run('forget', 'summit', 'attendees', 'u3', '--remove')).toMatchObject({ code: 0 })
    expect(await workspace.run('run')).toMatchObject({ code: 0 })
    source.records = { ...smallEvent, Users: [] }
    const { runs: guarded } = await workspace.report('run', 'expo')
    expect(guarded).toMatchObject([{ status: 'held' }])
    source.records = smallEvent
    const before = await statusesOf(workspace)

    const moved = await workspace.run('move', '--to', 'env:NEW_URL')
    expect([moved.code, moved.stderr]).toEqual([0, ''])
    expect(moved.stdout).toMatch(
      /^moved to the database of env:NEW_URL: \d+ tables, \d+ rows; counts and hashes are equal in both databases\n/,
    )
    expect(moved.stdout).toContain(
      engine === 'postgres'
        ? '  ./event-sync.yaml:2:3: change the line to: database: env:NEW_URL\n'
        : '  add to the configuration: database: env:NEW_URL\n',
    )
    expect(moved.stdout).toContain(
      '  psql with sql/roles/grant.sql, if other users read or load the database',
    )
    expect(moved.stdout).not.toContain(workspace.env.NEW_URL)

    for (const args of [['run'], ['plan', 'summit'], ['suppress', 'summit', 'agenda', '101'], ['schedule']]) {
      const { code, stderr } = await workspace.run(...args)
      expect([args, code, stderr]).toEqual([args, 64, expect.stringMatching(REFUSED)])
    }
    const stood = await workspace.run('status', 'summit')
    expect([stood.code, stood.stderr, stood.stdout]).toEqual([
      1,
      expect.stringMatching(NOTE),
      expect.stringMatching(/\nsummit: this database was moved at /),
    ])
    for (const args of [['runs'], ['show', 'summit'], ['missing', 'summit']]) {
      const { code, stderr } = await workspace.run(...args)
      expect([args, code, stderr]).toEqual([args, 0, expect.stringMatching(NOTE)])
    }
    const again = await workspace.run('move', '--to', 'env:NEW_URL')
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^everything was moved to the database of env:NEW_URL at \S+Z: .* rows; nothing was copied now\n/,
      ),
    ])

    useNew(workspace)
    expect(await statusesOf(workspace)).toEqual(before)
    const there = await workspace.run('move', '--to', 'env:NEW_URL')
    expect([there.code, there.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^the configuration already names the database of env:NEW_URL, to which everything was moved at \S+Z; nothing was copied\n$/,
      ),
    ])
    for (const id of ['summit', 'expo']) {
      const { actions } = JSON.parse((await workspace.run('log', id, '--json')).stdout)
      const kind = engine === 'postgres' ? 'PostgreSQL' : 'the embedded database'
      expect(actions[0]).toMatchObject({ action: 'moved', detail: `from ${kind} to PostgreSQL` })
    }
    const { runs } = await workspace.report('run')
    expect(runs.map(({ status, changes }) => [status, countChanges(changes)])).toEqual([
      ['finished', 0],
      ['finished', 0],
    ])
    const verified = await workspace.run('verify', 'out', '--json')
    expect(verified.code).toBe(0)
    expect(JSON.parse(verified.stdout).packs.length).toBeGreaterThan(4)
  })
})

test('after a move, the new database can be moved to a third database, but the old database cannot', async () => {
  const { workspace } = await begin('pglite')
  workspace.env.THIRD_URL = await createDatabase(inject('postgresUrl'))
  expect(await workspace.run('move', '--to', 'env:NEW_URL')).toMatchObject({ code: 0 })
  const other = await workspace.run('move', '--to', 'env:THIRD_URL')
  expect([other.code, other.stderr]).toEqual([
    64,
    expect.stringMatching(/^this database was moved at \S+, to another database than the one of --to; /),
  ])
  useNew(workspace)
  expect(await workspace.run('move', '--to', 'env:THIRD_URL')).toMatchObject({ code: 0 })
  expect((await workspace.run('run')).stderr).toMatch(REFUSED)
})

test('a worker that opened the old database before the move runs nothing there after the move', async () => {
  const { workspace } = await begin('postgres')
  const io = { env: workspace.env, cwd: workspace.folder, stderr: process.stderr }
  const result = await withContext(
    { config: 'event-sync.yaml' },
    io,
    async (context) => {
      expect(await workspace.run('move', '--to', 'env:NEW_URL')).toMatchObject({ code: 0 })
      return runJob(context, 'summit')
    },
    { events: silent },
  )
  expect(result).toMatchObject({
    result: 'failed',
    error: expect.stringMatching(/ was moved at .*refuses runs/),
  })
  expect(await workspace.rows('select count(*)::int as count from sync.runs')).toEqual([{ count: 1 }])
})

test('move prints each table at a terminal, one object with --json, and nothing with --quiet', async () => {
  const { workspace } = await begin('postgres')
  const { folder, env } = workspace
  const io = openTestIo({ folder, env, isTerminal: true })
  expect(await runCommand(['move', '--to', 'env:NEW_URL'], io)).toBe(0)
  expect(io.output.stderr).toMatch(/\[\d+\/\d+\] sync\.changes 7 rows \d+\.\d s\n/)
  expect(io.output.stderr).toMatch(/\[1\/\d+\] compare staging\.a_rooms\n/)

  const json = await workspace.run('move', '--to', 'env:NEW_URL', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({
    to: 'env:NEW_URL',
    moved: false,
    configuration: { place: './event-sync.yaml:2:3', line: 'database: env:NEW_URL' },
    tables: expect.arrayContaining([
      { table: 'sync.runs', rows: 1, checksum: expect.stringMatching(/^-?\d+$/), isEarlier: true },
    ]),
  })
  expect(await workspace.run('move', '--to', 'env:NEW_URL', '--quiet')).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  })
})

describe('refused moves', () => {
  test('move refuses an address instead of a reference, an address of another kind and a server that does not answer, and prints no address', async () => {
    const { workspace } = await begin('postgres')
    const address = 'postgres://me:CANARY@127.0.0.1:1/CANARY'
    Object.assign(workspace.env, { GONE: address, OTHER: 'mysql://me:CANARY@db.example/CANARY' })
    const ends = [
      [address, 64],
      ['env:OTHER', 64],
      ['env:GONE', 1],
      ['env:MISSING', 64],
    ] as const
    for (const [to, code] of ends) {
      const ended = await workspace.run('move', '--to', to)
      expect([to, ended.code, ended.stdout]).toEqual([to, code, ''])
      expect(ended.stderr).not.toContain('CANARY')
      expect(ended.stderr).not.toBe('')
    }
    expect(await workspace.run('run')).toMatchObject({ code: 0 })
  })

  test('move refuses the configured database, a database with runs, and a run whose plan is being applied', async () => {
    const { workspace } = await begin('postgres')
    const own = await workspace.run('move', '--to', 'env:DATABASE_URL')
    expect([own.code, own.stderr]).toEqual([
      64,
      '--to: env:DATABASE_URL is the database that the configuration names; name another one; nothing was copied\n',
    ])

    const elsewhere = new URL(workspace.env.DATABASE_URL ?? '')
    elsewhere.searchParams.set('application_name', 'other')
    workspace.env.SAME = elsewhere.href
    expect(await workspace.run('move', '--to', 'env:SAME')).toMatchObject({
      code: 64,
      stderr:
        'the address of --to and the address in the configuration lead to the same database; name another database with --to; nothing was copied\n',
    })

    const other = await begin('postgres')
    workspace.env.FILLED = other.workspace.env.DATABASE_URL ?? ''
    const filled = await workspace.run('move', '--to', 'env:FILLED')
    expect([filled.code, filled.stderr]).toEqual([
      64,
      expect.stringMatching(
        /^the new database is not empty: \S+ has rows, and no move from this database has put them there; name an empty database with --to; nothing was copied\n$/,
      ),
    ])

    await workspace.rows("update sync.runs set status = 'applied'")
    const open = await workspace.run('move', '--to', 'env:NEW_URL')
    expect([open.code, open.stderr]).toEqual([
      64,
      expect.stringMatching(
        /^run \S+ of summit is not finished; finish it first with `event-sync run summit`; nothing was copied\n$/,
      ),
    ])
  })

  test('move is refused while a run uses the database', async () => {
    const { source, workspace } = await begin('postgres')
    const { script, asked, release } = holdBack('Users', 0)
    source.script = script
    const run = workspace.run('run', 'summit')
    await asked
    const moved = await workspace.run('move', '--to', 'env:NEW_URL')
    expect([moved.code, moved.stderr]).toEqual([
      5,
      'summit: in use by another process; wait until it ends, and move again; nothing was copied\n',
    ])
    release()
    expect(await run).toMatchObject({ code: 0 })
    expect(await workspace.run('move', '--to', 'env:NEW_URL')).toMatchObject({ code: 0 })
  })
})
