import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withContext } from '../../../pipeline/commands/session.ts'
import { seal, unsealWith } from '../../../pipeline/context/keys.ts'
import { silent } from '../../../pipeline/runtime/events.ts'
import { type JobResult, runJob } from '../../../pipeline/worker/work.ts'
import { SEALING_KEY } from '../../harness/place.ts'
import { engines } from '../../support/engines.ts'
import { begin, manifestOf, NOTHING_PLANNED, runOnce, verifyTwice } from './rename-small-event.ts'
import { startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import type { Workspace } from './workspace.ts'

/** Counts the rows of an integration in every table of the database that has an id of an integration. */
async function rowsOf(workspace: Workspace, id: string): Promise<Readonly<Record<string, number>>> {
  const tables = await workspace.rows(`
    select table_schema || '.' || table_name as name from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where column_name = 'integration_id' and table_type = 'BASE TABLE'`)
  expect(tables.length).toBeGreaterThan(25)
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const query = `select count(*)::int as n from ${name} where integration_id = '${id}'`
    const [row] = await workspace.rows(query)
    if (Number(row?.n) > 0) counts[String(name)] = Number(row?.n)
  }
  return counts
}

describe.each(engines)('on %s', (engine) => {
  test('after rename, runs and packs continue in one chain under the new id, and the files of old packs stay the same', async () => {
    const { workspace, configure } = await begin(engine)
    const first = await runOnce(workspace)
    expect((await workspace.run('forget', 'summit', 'attendees', 'u2', '--delivered')).code).toBe(0)
    expect((await workspace.run('suppress', 'summit', 'attendees', 'u3')).code).toBe(0)
    const second = await runOnce(workspace)
    const before = workspace
      .files('out', 'summit')
      .map((file) => [file, workspace.read('out', 'summit', file)])

    const renamed = await workspace.run('rename', 'summit', 'summit-2031')
    expect([renamed.code, renamed.stderr]).toEqual([0, ''])
    expect(renamed.stdout).toContain('summit-2031: renamed from summit\n')
    expect(renamed.stdout).toMatch(
      /to do {5}\.\/event-sync\.yaml:\d+:\d+: integrations\[0\]\.id: change summit to summit-2031/,
    )
    const after = workspace.files('out', 'summit-2031').filter((file) => file !== 'renamed.json')
    expect(after.map((file) => [file, workspace.read('out', 'summit-2031', file)])).toEqual(before)
    expect(existsSync(join(workspace.folder, 'out', 'summit'))).toBe(false)
    // No pack lists the renaming yet, but the note beside the packs does.
    expect((await verifyTwice(workspace, 'out')).stdout).toContain('2 packs, all intact')
    rmSync(join(workspace.folder, 'out', 'summit-2031', first.run, 'report.html'))
    expect((await workspace.run('export', first.run)).code).toBe(0)
    expect((await workspace.run('show', first.run)).code).toBe(0)
    expect((await workspace.run('diff', first.run, second.run)).code).toBe(0)

    configure('summit-2031')
    const third = await runOnce(workspace)
    expect(third).toMatchObject({ integration: 'summit-2031', changes: NOTHING_PLANNED })
    expect(manifestOf(workspace, 'summit-2031', third.run)).toMatchObject({
      integration: 'summit-2031',
      previousManifestSha256: manifestOf(workspace, 'summit-2031', second.run).sha256,
      renamed: [{ from: 'summit', renamedAt: expect.any(String), renamedBy: expect.any(String) }],
    })
    expect(JSON.parse(workspace.read('out', 'summit-2031', 'suppressions.json'))).toMatchObject({
      integration: 'summit-2031',
    })
    const fourth = await runOnce(workspace)
    expect(manifestOf(workspace, 'summit-2031', fourth.run)).not.toHaveProperty('renamed')
    for (const { run } of [first, second, third, fourth])
      expect((await workspace.run('export', run)).code).toBe(0)
    rmSync(join(workspace.folder, 'out', 'summit-2031', 'renamed.json'))
    expect((await verifyTwice(workspace, 'out')).stdout).toContain('4 packs, all intact')
    const { actions } = JSON.parse((await workspace.run('log', 'summit-2031', '--json')).stdout)
    expect(actions[0]).toMatchObject({ action: 'renamed', detail: 'from summit' })
    const listed = await workspace.run('suppress', 'summit-2031')
    expect(listed.stdout).toContain('u3')
    expect((await workspace.run('status')).stdout).toContain('up to date')
  })
})

test('rename changes the id in every table that has one, and in the schedule and the jobs of workers', async () => {
  const { workspace } = await begin()
  await runOnce(workspace)
  await workspace.run('schedule')
  await workspace.rows(
    "insert into sync.marks select 'summit', 'users', null, false, 0, 0, '', '{}', null, null, 0, false",
  )
  const before = await rowsOf(workspace, 'summit')
  const other = await rowsOf(workspace, 'expo')
  const { code, stdout } = await workspace.run('rename', 'summit', 'summit-2031', '--json')
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      integration: 'summit-2031',
      formerId: 'summit',
      renamedAt: expect.any(String),
      isNew: true,
      rows: before,
      stalePlan: null,
      folder: join(workspace.folder, 'out', 'summit-2031'),
      todo: [{ file: './event-sync.yaml', path: 'integrations[0].id', line: expect.any(Number), column: 7 }],
    },
  ])
  expect(await rowsOf(workspace, 'summit')).toEqual({})
  expect(await rowsOf(workspace, 'summit-2031')).toEqual({
    ...before,
    'sync.former_ids': 1,
    'sync.actions': Number(before['sync.actions']) + 1,
  })
  expect(await rowsOf(workspace, 'expo')).toEqual(other)
  expect(await workspace.rows(`select key, options from queue.schedule`)).toEqual([
    {
      key: 'summit-2031',
      options: expect.objectContaining({ singletonKey: 'summit-2031', group: { id: 'summit-2031' } }),
    },
  ])
})

test('a run under the former id is refused, so the integration does not start again without its history', async () => {
  const { workspace, configure } = await begin()
  await runOnce(workspace)
  await workspace.run('rename', 'summit', 'summit-2031')
  const said = 'summit was renamed to summit-2031 at '
  for (const args of [['run'], ['plan'], ['suppress', 'summit', 'agenda', '101'], ['erase', 'summit']]) {
    const { code, stdout, stderr } = await workspace.run(...args)
    expect([args, code, stdout + stderr]).toEqual([args, 64, expect.stringContaining(said)])
  }
  expect((await workspace.run('forget', 'summit', 'attendees', 'u2')).stderr).toContain(said)
  expect((await workspace.run('status')).stdout).toContain('summit was renamed to summit-2031')
  expect(existsSync(join(workspace.folder, 'out', 'summit'))).toBe(false)

  // Another event may now use the former id.
  const other = {
    source: { ...integrationOfA('', (await startScriptedSource(smallEvent)).url).source, eventId: '77' },
  }
  configure('summit', other)
  await runOnce(workspace)
  expect((await verifyTwice(workspace, 'out')).stdout).toContain('2 packs, all intact')
})

test('if the database is older than a renaming, each command that works on the integration names the command to run', async () => {
  const { workspace } = await begin()
  await runOnce(workspace)
  // This is the state after a renaming, if a backup from before it was restored with its configuration.
  const out = (id: string) => join(workspace.folder, 'out', id)
  renameSync(out('summit'), out('summit-2031'))
  const note = {
    integration: 'summit-2031',
    renamed: [{ from: 'summit', renamedAt: '2031-05-01T00:00:00.000Z' }],
    lastManifestSha256: null,
  }
  writeFileSync(join(out('summit-2031'), 'renamed.json'), `${JSON.stringify(note, null, 2)}\n`)
  const next = 'run `event-sync rename summit summit-2031`'
  for (const args of [['run'], ['pause', 'summit']]) {
    const { code, stdout, stderr } = await workspace.run(...args)
    expect([args, code, stdout + stderr]).toEqual([args, 64, expect.stringContaining(next)])
  }
  expect(await workspace.run('status')).toMatchObject({ code: 1, stdout: expect.stringContaining(next) })
  expect((await workspace.run('rename', 'summit', 'summit-2031')).code).toBe(0)
})

test('a worker that read the configuration before a renaming runs nothing, and no try of the job counts', async () => {
  const { workspace, configure } = await begin()
  await runOnce(workspace)
  const said = expect.stringMatching(/^summit was renamed to summit-2031 after .*change the id there/)
  const waits = { result: 'left', reports: [], leftAs: 'summit-2031', error: said }
  await inWorker(workspace, async (runJob) => {
    expect((await workspace.run('rename', 'summit', 'summit-2031')).code).toBe(0)
    // The schedule may have sent a job with the former id just before the renaming.
    for (const id of ['summit', 'summit-2031']) expect(await runJob(id)).toEqual({ ...waits, code: 64 })
  })
  configure('summit-2031')
  await inWorker(workspace, async (runJob) => {
    expect(await runJob('summit')).toMatchObject({ ...waits, error: null })
    expect(await runJob('summit-2031')).toMatchObject({ result: 'done' })
    expect(await runJob('other')).toMatchObject({
      result: 'left',
      leftAs: 'other',
      error: expect.any(String),
    })
  })
})

/** Opens the database as a worker does, which reads the configuration only once. */
function inWorker(workspace: Workspace, work: (run: (id: string) => Promise<JobResult>) => Promise<void>) {
  const io = { env: workspace.env, cwd: workspace.folder, stderr: process.stderr }
  const given = { config: 'event-sync.yaml' }
  return withContext(given, io, (context) => work((id) => runJob(context, id)), { events: silent })
}

test('if the folder of the packs is missing, rename changes nothing', async () => {
  const { workspace } = await begin()
  await runOnce(workspace)
  const folder = join(workspace.folder, 'out', 'summit')
  renameSync(folder, join(workspace.folder, 'elsewhere'))
  const { code, stderr } = await workspace.run('rename', 'summit', 'summit-2031')
  expect([code, stderr]).toEqual([
    64,
    expect.stringMatching(/the folder of the packs of summit is missing: .*nothing was renamed/),
  ])
  renameSync(join(workspace.folder, 'elsewhere'), folder)
  expect((await workspace.run('rename', 'summit', 'summit-2031')).code).toBe(0)
})

test('after rename, a plan that waits can no longer be applied, and its page is deleted', async () => {
  const { source, workspace, configure } = await begin()
  await runOnce(workspace)
  source.records = {
    ...smallEvent,
    Sessions: [{ Id: 101, Title: 'Welcome', TimeSlotId: 1, Speakers: [{ Id: 'u1' }] }],
  }
  const planned = (await workspace.report('plan')).runs[0]
  expect(existsSync(join(workspace.folder, 'out', 'summit', String(planned?.run), 'report.html'))).toBe(true)
  const { stdout } = await workspace.run('rename', 'summit', 'summit-2031')
  expect(stdout).toContain(`that of run ${planned?.run} waited, and can no longer be applied`)
  expect(workspace.files('out', 'summit-2031', String(planned?.run))).toEqual([])
  configure('summit-2031')
  const applied = await workspace.run('apply', 'summit-2031', String(planned?.planHash))
  expect([applied.code, applied.stdout + applied.stderr]).toEqual([
    4,
    expect.stringContaining('no longer current'),
  ])
})

test('rename encrypts passwords and ids of forgotten people again for the new id, and needs the key for this', async () => {
  const { workspace, configure } = await begin()
  await runOnce(workspace)
  expect((await workspace.run('forget', 'summit', 'attendees', 'u2')).code).toBe(0)
  const key = Buffer.from(SEALING_KEY, 'base64')
  const sealed = seal(key, ['summit', 'u9'], 'a password', { randomBytes: (size) => Buffer.alloc(size) })
  const hex = Buffer.from(sealed).toString('hex')
  await workspace.rows(`insert into sync.passwords values ('summit', 'u9', '\\x${hex}')`)
  workspace.env.EVENT_SYNC_KEY = Buffer.alloc(32, 9).toString('base64')
  const refused = await workspace.run('rename', 'summit', 'summit-2031')
  expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('formerSealingKeys')])
  expect(await rowsOf(workspace, 'summit-2031')).toEqual({})
  workspace.env.EVENT_SYNC_KEY = SEALING_KEY
  expect((await workspace.run('rename', 'summit', 'summit-2031')).code).toBe(0)
  const [password] = await workspace.rows('select sealed from sync.passwords')
  expect(unsealWith([key], ['summit-2031', 'u9'], password?.sealed as Buffer)).toBe('a password')
  configure('summit-2031')
  const run = await runOnce(workspace)
  expect(run.changes).toMatchObject({ attendees: { remove: 1, create: 0 } })
  expect(workspace.read('out', 'summit-2031', run.run, 'operations.jsonl')).toContain('"uniqueId":"u2"')
  // The product recognises the person by the hash that was made for the former id.
  expect(await runOnce(workspace)).toMatchObject({ changes: NOTHING_PLANNED })
})

test('rename is refused until an unfinished run is finished', async () => {
  const { workspace } = await begin()
  await runOnce(workspace)
  for (const status of ['applying', 'applied']) {
    await workspace.rows(`update sync.runs set status = '${status}'`)
    const { code, stderr } = await workspace.run('rename', 'summit', 'summit-2031')
    expect([code, stderr]).toEqual([
      64,
      expect.stringContaining('finish it with `event-sync run summit`, then rename; nothing was renamed'),
    ])
  }
  expect(await rowsOf(workspace, 'summit-2031')).toEqual({})
})

test('rename refuses an id that is invalid, in use, or not the id of the integration in the configuration', async () => {
  const { source, workspace, configure } = await begin()
  await runOnce(workspace)
  const refused = async (from: string, to: string) => {
    const { code, stderr } = await workspace.run('rename', from, to)
    return [code, stderr]
  }
  expect(await refused('summit', 'Summit!')).toEqual([64, expect.stringContaining('must be 1 to 63 of a-z')])
  expect(await refused('summit', 'summit')).toEqual([64, expect.stringContaining('the same id')])
  expect(await refused('spring', 'autumn')).toEqual([
    64,
    expect.stringContaining('has neither spring nor autumn; its integrations are: summit'),
  ])
  mkdirSync(join(workspace.folder, 'out', 'autumn'))
  writeFileSync(join(workspace.folder, 'out', 'autumn', 'note.txt'), '')
  expect(await refused('summit', 'autumn')).toEqual([64, expect.stringContaining('exists already')])
  configure('spring', { source: { type: 'a', url: source.url, eventId: '77' } })
  expect(await refused('summit', 'spring')).toEqual([
    64,
    expect.stringContaining('source.eventId "4242", and the configuration has "77" for spring'),
  ])
  await runOnce(workspace)
  configure('summit')
  expect(await refused('summit', 'spring')).toEqual([64, expect.stringContaining('already knows spring')])
  expect(await refused('spring', 'summit')).toEqual([64, expect.stringContaining('nothing was renamed')])
  workspace.configure({
    integrations: ['summit', 'spring'].map((id) => integrationOfA(id, source.url)),
  })
  expect(await refused('summit', 'spring')).toEqual([
    64,
    expect.stringContaining('has both summit and spring'),
  ])
  configure('unknown')
  expect(await refused('nowhere', 'unknown')).toEqual([
    64,
    expect.stringContaining('has anything of nowhere'),
  ])
})
