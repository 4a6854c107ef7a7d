import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { startSampleSourceB } from '../../harness/sample-source/b.ts'
import { DBT, passes } from '../../proofs/tools/tools.ts'
import { startScriptedSource } from './scripted-source.ts'
import { credentialsOfB, integrationOfA, integrationOfB, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const isMissing = !passes(DBT, '--version')

const EXPO = {
  sessions: [{ id: 's1', name: 'Keynote', date: '2031-05-04', start_time: '09:00:00', end_time: '10:00:00' }],
  registrants: ['r1', 'r2'].map((id, index) => ({
    id,
    first_name: 'Ann',
    last_name: `Of ${id}`,
    email: `${id}@people.example`,
    reg_type_id: 901 + index,
    session_ids: ['s1'],
    cancelled_at: null,
  })),
  regTypes: [
    { id: 901, name: 'Attendee' },
    { id: 902, name: 'Speaker' },
  ],
}

describe.skipIf(isMissing)('dbt (skipped without dbt-core and dbt-postgres)', () => {
  let workspace: Workspace
  const ends: (() => unknown)[] = []

  beforeAll(async () => {
    const sourceA = await startScriptedSource(smallEvent, (end) => ends.push(end))
    const sourceB = await startSampleSourceB(EXPO)
    ends.push(() => sourceB.close())
    workspace = await makeWorkspace('postgres', false, (end) => ends.push(end))
    Object.assign(workspace.env, credentialsOfB)
    workspace.configure({
      integrations: [
        integrationOfA('summit', sourceA.url),
        // The agenda of this integration names speakers that it does not sync.
        integrationOfA('agenda-only', sourceA.url, { content: ['agenda'] }),
        integrationOfB('expo', sourceB.url),
      ],
    })
    expect((await workspace.run('run')).code).toBe(0)
    makeProject(workspace, (await workspace.run('dbt-sources', '--staging')).stdout)
    for (const script of ['create.sql', 'grant.sql'])
      await workspace.rows(readFileSync(join(packageRoot, 'sql', 'roles', script), 'utf8'))
  })
  afterAll(async () => {
    const roles = 'event_sync_owner, event_sync_loader, event_sync_reader, event_sync_reader_personal'
    await workspace.rows(`drop owned by ${roles}; drop role ${roles}`)
    for (const end of ends) await end()
  })

  /** Runs dbt as a role of `sql/roles`. */
  async function dbt(role: string, ...args: readonly string[]) {
    const env = { ...process.env, DBT_ROLE: role, DBT_SEND_ANONYMOUS_USAGE_STATS: 'false' }
    const child = spawn(DBT, ['--no-use-colors', ...args, '--project-dir', '.', '--profiles-dir', '.'], {
      cwd: join(workspace.folder, 'dbt'),
      env,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)))
    const code = await new Promise((resolve) => child.on('close', resolve))
    return { code, output }
  }
  async function dbtPasses(role: string, ...args: readonly string[]): Promise<string> {
    const { code, output } = await dbt(role, ...args)
    expect(code, output.slice(-3000)).toBe(0)
    return output
  }
  const PERSONAL = 'event_sync_reader_personal'
  const stale = (ageDays: number) =>
    workspace.rows(
      `update sync.runs set finished_at = now() - ${ageDays} * interval '1 day' where integration_id = 'agenda-only'`,
    )

  test('dbt accepts the file without a warning', async () => {
    const output = await dbtPasses(PERSONAL, 'parse', '--warn-error', '--no-partial-parse')
    expect(output).not.toMatch(/warn|deprecat/i)
  })

  test('the freshness of dbt passes, and fails for the one integration that is ten days old', async () => {
    await dbtPasses('event_sync_reader', 'source', 'freshness')
    await stale(10)
    const { code, output } = await dbt('event_sync_reader', 'source', 'freshness')
    await stale(0)
    expect(code).toBe(1)
    expect(output).toMatch(/ERROR STALE freshness of published\.integration_agenda-only/)
    expect(output.match(/PASS freshness of published\.integration_(?:summit|expo)/g)).toHaveLength(2)
    expect(output.match(/ERROR STALE freshness/g)).toHaveLength(1)
  })

  test('the tests of dbt pass on the data of two sources, and fail on data that breaks them', async () => {
    await dbtPasses(PERSONAL, 'test')
    await workspace.rows(`
      create table public.taken as select * from sync.desired_items where content = 'agenda' and unique_id = '101';
      delete from sync.desired_items where content = 'agenda' and unique_id = '101' and integration_id = 'summit'`)
    const { code, output } = await dbt(PERSONAL, 'test')
    await workspace.rows(
      "insert into sync.desired_items select * from public.taken where integration_id = 'summit'",
    )
    expect(code).toBe(1)
    expect(output).toMatch(/FAIL 1 relationships_published_session_speakers_session_id/)
  })

  test('a reader without rights to personal columns can run all tests without the tag personal', async () => {
    const asReader = ['--select', 'source:published', '--exclude', 'tag:personal']
    const output = await dbtPasses('event_sync_reader', 'test', ...asReader)
    expect(output).toMatch(/PASS=[1-9]\d WARN=0 ERROR=0/)
  })

  test('the documentation that dbt makes has the columns with their meanings', async () => {
    await dbtPasses(PERSONAL, 'docs', 'generate')
    const made = (name: string) => JSON.parse(workspace.read('dbt', 'target', name))
    const { columns } = made('catalog.json').sources['source.events.published.agenda']
    const described = made('manifest.json').sources['source.events.published.agenda'].columns
    expect(Object.keys(columns).toSorted()).toEqual(Object.keys(described).toSorted())
    expect(described.local_start.description).toContain('Local time of start_time')
  })
})

function makeProject({ folder, env }: Workspace, sources: string): void {
  const url = new URL(env.DATABASE_URL ?? '')
  const output = {
    type: 'postgres',
    host: url.hostname,
    port: Number(url.port),
    user: url.username,
    password: url.password,
    dbname: url.pathname.slice(1),
    schema: 'models',
    threads: 2,
    role: "{{ env_var('DBT_ROLE') }}",
  }
  const files = {
    'dbt_project.yml': { name: 'events', version: '1.0', profile: 'events', 'model-paths': ['models'] },
    'profiles.yml': { events: { target: 'test', outputs: { test: output } } },
  }
  mkdirSync(join(folder, 'dbt', 'models'), { recursive: true })
  // JSON is YAML, too.
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, 'dbt', name), JSON.stringify(content))
  writeFileSync(join(folder, 'dbt', 'models', 'sources.yml'), sources)
  writeFileSync(
    join(folder, 'dbt', 'models', 'sessions.sql'),
    "select name, local_start from {{ source('published', 'agenda') }}",
  )
}
