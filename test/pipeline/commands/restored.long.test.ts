import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { readPack } from '../../harness/read-pack.ts'
import { copyDatabase } from '../../support/postgres.ts'
import { CLI, start } from './command-line.ts'
import type { ScriptedSource } from './scripted-source.ts'
import { configOfA } from './small-event.ts'
import { startPlatform, workspaceOfSmallEvent } from './small-workspace.ts'
import type { Workspace } from './workspace.ts'

const PRELOADED = new URL('../../proofs/kills/killed-command.ts', import.meta.url).href

interface Place {
  readonly source: ScriptedSource
  readonly workspace: Workspace
  /**
   * Returns the titles of the sessions on the platform. If the target is files, the titles are computed from
   * the operations files.
   */
  titles(output?: string): Promise<Readonly<Record<string, unknown>>>
  configure(output?: string): void
  /** Makes the platform answer every request for its items with an error. */
  silence(): Promise<void>
}

const platforms = ['jsonl', 'http'] as const

async function open(type: (typeof platforms)[number]): Promise<Place> {
  const { source, workspace } = await workspaceOfSmallEvent()
  if (type === 'jsonl') {
    return {
      source,
      workspace,
      configure: (output = './out') => workspace.configure({ ...configOfA(source.url), output }),
      titles: async (output = 'out') => titlesIn(join(workspace.folder, output, 'summit')),
      silence: () => Promise.reject(new Error('a file answers nothing')),
    }
  }
  const platform = await startPlatform(workspace)
  const to = platform.config(100)
  const configure = (output = './out') =>
    workspace.configure({
      ...configOfA(source.url, { platform: to, passwords: { mode: 'none' }, guards: { massUpdate: 1 } }),
      http: { retryBudgetSeconds: 1 },
      output,
    })
  configure()
  return {
    source,
    workspace,
    configure,
    silence: async () =>
      void (await platform.control('faults', [{ fault: 'failBeforeCommit', on: 'items', count: 'always' }])),
    async titles() {
      const { items } = await platform.control('state')
      return Object.fromEntries((items.agenda ?? []).map(({ uniqueId, fields }) => [uniqueId, fields.name]))
    },
  }
}

/**
 * Returns the titles that a platform would have if it applied all operations files in the order of their
 * runs.
 */
function titlesIn(packs: string): Readonly<Record<string, unknown>> {
  const titles: Record<string, unknown> = {}
  const finishedAt = (run: string): string =>
    JSON.parse(readFileSync(join(packs, run, 'manifest.json'), 'utf8')).finishedAt
  const names = readdirSync(packs).filter((name) => name !== 'verify.py')
  const runs = names.sort((one, other) => (finishedAt(one) < finishedAt(other) ? -1 : 1))
  for (const run of runs) {
    for (const { op, content, uniqueId, fields } of readPack(join(packs, run)).operations ?? []) {
      if (content !== 'agenda') continue
      if (op === 'remove') delete titles[uniqueId]
      else titles[uniqueId] = fields?.name
    }
  }
  return titles
}

/** Changes the title of a session at the source. */
function rename(source: ScriptedSource, id: number, title: string): void {
  const sessions = source.records.Sessions ?? []
  source.records = {
    ...source.records,
    Sessions: sessions.map((session) =>
      Reflect.get(Object(session), 'Id') === id ? Object.assign({}, session, { Title: title }) : session,
    ),
  }
}

/** Copies the database, and returns the address of the copy. */
const backup = ({ env }: Workspace) => copyDatabase(inject('postgresUrl'), env.DATABASE_URL ?? '')

async function lastRun(workspace: Workspace): Promise<string> {
  const { code, runs } = await workspace.report('run')
  expect(code).toBe(0)
  return String(runs.at(-1)?.run)
}

const whole = async (workspace: Workspace, output = 'out') => {
  const { code, stdout } = await workspace.run('verify', join(output, 'summit'))
  return { code, gap: stdout.split('\n').filter((line) => line.includes('gap:')) }
}
const nothing = { create: 0, update: 0, remove: 0 }

async function statusOf(workspace: Workspace) {
  const { code, stdout } = await workspace.run('status', '--json')
  return { code, ...JSON.parse(stdout).integrations[0] }
}

async function failedChecks(workspace: Workspace) {
  const { stdout } = await workspace.run('check', '--json')
  const checks: readonly Record<string, string>[] = JSON.parse(stdout).checks
  return checks.flatMap(({ rule, status, seen, todo }) => (status === 'failed' ? [{ rule, seen, todo }] : []))
}

describe.each(platforms)('a database restored from a backup, with a platform of type %s', (type) => {
  test('after a restore, commands end with exit code 64 until --refresh reads the state of the platform; verify accepts the gap', async () => {
    const { source, workspace, titles } = await open(type)
    const first = await lastRun(workspace)
    const before = await backup(workspace)
    rename(source, 101, 'Changed')
    await lastRun(workspace)
    rename(source, 102, 'Changed too')
    const lost = await lastRun(workspace)
    workspace.env.DATABASE_URL = before
    // The source has the same records as at the time of the backup, so the restored database would plan no
    // change.
    rename(source, 101, 'Opening')
    rename(source, 102, 'Closing')

    for (const command of [['run'], ['plan'], ['apply', 'summit', 'ffffffff']]) {
      const { code, stdout, stderr } = await workspace.run(
        ...command,
        ...(command[0] === 'apply' ? [] : ['summit']),
      )
      expect([command, code]).toEqual([command, 64])
      expect(stdout + stderr).toContain(`this database ends at run ${first} of summit, but the packs in `)
      expect(stdout + stderr).toMatch(new RegExp(`at run ${lost}, .* \`event-sync run summit --refresh\``))
      expect(stdout + stderr).toContain(
        type === 'jsonl'
          ? 'which assumes that the platform has what the operations files say'
          : 'which reads back what the platform has',
      )
    }
    expect(await statusOf(workspace)).toMatchObject({
      code: 1,
      state: 'failing',
      reason: expect.stringContaining(`this database ends at run ${first} of summit, but the packs in `),
      next: 'event-sync run summit --refresh',
    })
    expect(await failedChecks(workspace)).toEqual([
      {
        rule: 'ledger',
        seen: expect.stringContaining(`ends at run ${first} of summit`),
        todo: expect.stringContaining('`event-sync run summit --refresh`'),
      },
    ])
    const refreshed = await workspace.report('run', 'summit', '--refresh')
    expect([refreshed.code, refreshed.runs[0]?.error]).toEqual([0, undefined])
    expect(refreshed.runs[0]?.changes.agenda).toMatchObject({ ...nothing, update: 2 })
    expect(await titles()).toEqual({ 101: 'Opening', 102: 'Closing' })
    expect(await whole(workspace)).toEqual({ code: 0, gap: [expect.stringContaining(`2 runs, `)] })

    const next = await workspace.report('run')
    expect([next.code, next.runs[0]?.changes.agenda]).toEqual([0, { ...nothing, unchanged: 2 }])
    expect((await workspace.run('export', String(refreshed.runs[0]?.run))).code).toBe(0)
    expect((await whole(workspace)).code).toBe(0)
    expect(await statusOf(workspace)).toMatchObject({ code: 0, state: 'up to date', next: null })
    expect(await failedChecks(workspace)).toEqual([])
  })

  test('run --refresh works even if packs of lost runs appear in the output folder later', async () => {
    const { source, workspace, titles, configure } = await open(type)
    await lastRun(workspace)
    const before = await backup(workspace)
    mkdirSync(join(workspace.folder, 'away'))
    cpSync(join(workspace.folder, 'out'), join(workspace.folder, 'away'), { recursive: true })
    rename(source, 101, 'Lost')
    rename(source, 102, 'Lost too')
    await lastRun(workspace)
    workspace.env.DATABASE_URL = before
    configure('./away')
    rename(source, 102, 'Branch')
    if (type === 'http') {
      const { code, stderr } = await workspace.run('run')
      expect([code, stderr]).toEqual([
        64,
        expect.stringMatching(
          /has accepted fence 2 .* the highest fence of this database is 1: .* --refresh/,
        ),
      ])
      expect((await workspace.run('run', '--refresh')).code).toBe(0)
    } else await lastRun(workspace)
    cpSync(join(workspace.folder, 'away'), join(workspace.folder, 'out'), { recursive: true })
    configure()

    expect((await whole(workspace)).code).toBe(1)
    expect((await workspace.run('run')).code).toBe(64)
    rename(source, 101, 'Opening')
    expect((await workspace.run('run', '--refresh')).code).toBe(0)
    expect(await titles()).toEqual({ 101: 'Opening', 102: 'Branch' })
    expect(await whole(workspace)).toEqual({ code: 0, gap: [expect.stringContaining('did not know run ')] })
    await lastRun(workspace)
    expect((await whole(workspace)).code).toBe(0)
  })

  test('a run with an empty database continues from the packs of the lost database', async () => {
    const { source, workspace, titles } = await open(type)
    const empty = await backup(workspace)
    await lastRun(workspace)
    rename(source, 101, 'Changed')
    await lastRun(workspace)
    workspace.env.DATABASE_URL = empty
    if (type === 'jsonl') {
      const { code, stderr } = await workspace.run('run')
      expect([code, stderr]).toEqual([64, expect.stringContaining('this database has no run of summit')])
    }
    // With an empty database, a run reads the items of an HTTP platform even without --refresh.
    const { code, runs } = await workspace.report('run', ...(type === 'http' ? [] : ['--refresh']))
    expect([code, runs[0]?.changes.agenda]).toEqual([0, { ...nothing, unchanged: 2 }])
    expect(await titles()).toEqual({ 101: 'Changed', 102: 'Closing' })
    expect(await whole(workspace)).toEqual({ code: 0, gap: [expect.stringContaining('2 runs, ')] })
  })

  test('run --refresh gives up a plan that was being applied at the time of the backup', async () => {
    const { source, workspace, titles } = await open(type)
    await lastRun(workspace)
    rename(source, 101, 'Changed')
    const run = await lastRun(workspace)
    const before = await backup(workspace)
    rename(source, 101, 'Changed again')
    await lastRun(workspace)
    workspace.env.DATABASE_URL = before
    await workspace.rows(`update sync.runs set status = 'applying', manifest_sha256 = null, finished_at = null, applied_at = null
      where run_id = '${run}'`)
    const { code, runs } = await workspace.report('run', '--refresh')
    expect([code, runs.length]).toEqual([0, 1])
    expect(await titles()).toEqual({ 101: 'Changed again', 102: 'Closing' })
    expect(await whole(workspace)).toEqual({ code: 0, gap: [expect.stringContaining('2 runs, ')] })
  })
})

test('a gap in the chain of packs is named in one pack only, even if the run that named it died and was finished later', async () => {
  const { source, workspace } = await open('jsonl')
  await lastRun(workspace)
  const before = await backup(workspace)
  rename(source, 101, 'Changed')
  const lost = await lastRun(workspace)
  workspace.env.DATABASE_URL = before
  rename(source, 101, 'Opening')
  const died = start(
    process.execPath,
    ['--import', PRELOADED, CLI, '--log-level', 'debug', 'run', '--refresh'],
    { folder: workspace.folder, env: { ...workspace.env, DEATH: 'apply begun 1' } },
  )
  expect((await died.ended).code).toBe(null)
  const { code, runs } = await workspace.report('run')
  expect([code, runs.map(({ status }) => status)]).toEqual([0, ['finished', 'finished']])
  expect(await whole(workspace)).toEqual({ code: 0, gap: [expect.stringContaining(`run ${lost}`)] })
})

test('a restored database is refused if the platform knows a newer fence number, even after runs without changes', async () => {
  const { source, workspace, titles, configure } = await open('http')
  await lastRun(workspace)
  const before = await backup(workspace)
  const other = workspace.env.DATABASE_URL ?? ''
  workspace.env.DATABASE_URL = before
  configure('./away')
  for (let run = 0; run < 3; run += 1) await lastRun(workspace)
  workspace.env.DATABASE_URL = other
  configure()
  rename(source, 101, 'Changed')
  await lastRun(workspace)
  workspace.env.DATABASE_URL = before
  configure('./away')
  rename(source, 101, 'Opening')
  expect(await workspace.run('run')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('has accepted fence 2'),
  })
  expect(await failedChecks(workspace)).toMatchObject([
    { rule: 'ledger', seen: expect.stringContaining('has accepted fence 2') },
  ])
  expect((await workspace.run('run', '--refresh')).code).toBe(0)
  expect(await titles()).toEqual({ 101: 'Opening', 102: 'Closing' })
})

/** Deletes all files of a pack except operations.jsonl, as if the run had died after it wrote this file. */
function leaveOperations(workspace: Workspace, run: string): void {
  const pack = join(workspace.folder, 'out', 'summit', run)
  for (const name of readdirSync(pack)) if (name !== 'operations.jsonl') rmSync(join(pack, name))
}

test('a lost run is noticed even if only its operations file exists', async () => {
  const { source, workspace } = await open('jsonl')
  await lastRun(workspace)
  const before = await backup(workspace)
  rename(source, 101, 'Changed')
  await lastRun(workspace)
  rename(source, 102, 'Changed too')
  const lost = await lastRun(workspace)
  leaveOperations(workspace, lost)
  workspace.env.DATABASE_URL = before
  rename(source, 101, 'Opening')
  rename(source, 102, 'Closing')
  expect(await workspace.run('run')).toMatchObject({
    code: 64,
    stderr: expect.stringMatching(new RegExp(`at run ${lost}, and the database does not know 2 of them`)),
  })
  const { code, runs } = await workspace.report('run', '--refresh')
  expect([code, runs[0]?.changes.agenda]).toEqual([0, { ...nothing, update: 2, unchanged: 0 }])
  expect(await whole(workspace)).toEqual({ code: 0, gap: [expect.stringContaining('2 runs, ')] })
  const next = await workspace.report('run')
  expect([next.code, next.runs[0]?.changes.agenda]).toEqual([0, { ...nothing, unchanged: 2 }])
})

test('run --refresh plans nothing if somebody changed an operations file of a lost run', async () => {
  const { source, workspace } = await open('jsonl')
  await lastRun(workspace)
  const before = await backup(workspace)
  rename(source, 101, 'Changed')
  const lost = await lastRun(workspace)
  workspace.env.DATABASE_URL = before
  const operations = join(workspace.folder, 'out', 'summit', lost, 'operations.jsonl')
  writeFileSync(operations, readFileSync(operations, 'utf8').replace('"Changed"', '"Another"'))
  const { code, runs } = await workspace.report('run', '--refresh')
  expect([code, runs[0]?.error]).toEqual([
    1,
    expect.stringContaining('it is unknown what was sent to the platform'),
  ])
})

test('after the platform has refused a fence number, every further run is refused until --refresh is given', async () => {
  const { source, workspace } = await open('http')
  await lastRun(workspace)
  rename(source, 101, 'Changed')
  await workspace.rows(`
    create function behind() returns trigger language plpgsql as $$ begin
      update sync.integrations set fence = 0; return new; end $$;
    create trigger behind after update of plan_hash on sync.runs for each row execute function behind()`)
  expect((await workspace.run('run')).stderr).toContain('the platform has accepted a newer run')
  await workspace.rows('drop trigger behind on sync.runs')
  expect((await workspace.run('run')).code).toBe(64)
  expect((await workspace.run('run', '--refresh')).code).toBe(0)
  expect((await workspace.run('run')).code).toBe(0)
})

test('if the platform does not report its fence number, the run fails before it reads the source', async () => {
  const { source, workspace, silence } = await open('http')
  await lastRun(workspace)
  source.script = () => Promise.reject(new Error('the source was asked'))
  await silence()
  const { code, runs } = await workspace.report('run')
  expect([code, runs[0]?.status, runs[0]?.run]).toEqual([
    1,
    'failed',
    expect.stringMatching(/^[0-9a-f-]{36}$/),
  ])
  expect(runs[0]?.error).toMatch(
    /^refresh failed: platform, answered 500.*\nplatform untouched; safe to run again$/,
  )
})
