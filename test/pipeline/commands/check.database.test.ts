import { generateKeyPairSync } from 'node:crypto'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sampleEvent } from '../../../pipeline/demo/sample-event.ts'
import { checkPlatform } from '../../../pipeline/inspect/set-up.ts'
import { machine } from '../../../pipeline/runtime/environment.ts'
import type { Database } from '../../../sql/database.ts'
import { openPlace, SEALING_KEY } from '../../harness/place.ts'
import { readPack } from '../../harness/read-pack.ts'
import { startSampleSourceA } from '../../harness/sample-source/a.ts'
import { startSampleSourceB } from '../../harness/sample-source/b.ts'
import { nastyEventOfA, nastyEventOfB } from '../nasty-event.ts'
import { runOnce } from './rename-small-event.ts'
import { startScriptedSource } from './scripted-source.ts'
import { credentialsOfB, integrationOfA, integrationOfB, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const SIGNING_KEY = generateKeyPairSync('ed25519')
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

interface Row {
  readonly integration: string | null
  readonly rule: string
  readonly clause: string | null
  readonly status: string
  readonly seen: string
  readonly todo: string | null
}

async function checkJson(workspace: Workspace, ...args: readonly string[]) {
  const ended = await workspace.run('check', ...args, '--json')
  const { checks }: { checks: readonly Row[] } = JSON.parse(ended.stdout)
  return { ...ended, checks }
}

test('check of the sample sources ends with exit code 0, shows each rule with its clause, and writes nothing [spec 1.5]', async () => {
  const [a, b] = [await startSampleSourceA(sampleEvent.a), await startSampleSourceB(sampleEvent.b)]
  onTestFinished(async () => void (await Promise.all([a.close(), b.close()])))
  const workspace = await makeWorkspace('postgres', true)
  Object.assign(workspace.env, credentialsOfB)
  const source = { type: 'a', url: a.url, eventId: '4242', timeZone: sampleEvent.timeZone }
  const configure = (guards: object) =>
    workspace.configure({
      integrations: [
        integrationOfA('closed', 'http://127.0.0.1:9'),
        integrationOfA('summit', a.url, { source, guards }),
        integrationOfB('expo', b.url),
      ],
    })
  configure({ maxQuarantined: 1 })
  const { code, stdout, stderr } = await workspace.run('check', 'summit', 'expo')
  expect(stdout).toMatch(/^database\n {2}ok +database +the PostgreSQL of env:DATABASE_URL answers\n/)
  expect(stdout).toContain('\nsummit: Source A at ')
  expect(stdout).toContain('\nexpo: Source B at ')
  expect(stdout).toMatch(/ok +users.EmailAddress +a value in 36 of 37 users.* \(spec 2\.1\)\n/)
  expect(stdout).toMatch(/ok +speakers +8 of 38 registrants have it \(spec 2\.5\)\n/)
  expect(stdout).toMatch(/\n0 failed, 1 not checkable, \d\d ok: nothing failed\n$/)
  expect(stderr).toBe('')
  expect(code).toBe(0)
  // The setting `guards.maxQuarantined: 1` allows one record that cannot be read. Without
  // `guards.maxQuarantined`, the next run would end with exit code 3.
  expect(stdout).toContain('1 record cannot be read, and guards.maxQuarantined lets 1 pass')
  configure({})
  const refused = await workspace.run('check', 'summit')
  expect([refused.code, refused.stdout]).toEqual([
    1,
    expect.stringContaining('the next run would sync the others and end with exit code 3'),
  ])
  expect(workspace.files()).toEqual(['event-sync.yaml'])
  expect(await workspace.rows("select 1 from pg_namespace where nspname in ('sync', 'staging')")).toEqual([])
})

test('check predicts for each content which records the next run will sync or leave out', async () => {
  const { Sessions, Users, ...lookups } = nastyEventOfA(0)
  const repeated = { Sessions: [...Sessions, Sessions[0]], Users: [...Users, { FirstName: 'without an id' }] }
  const [a, b] = [
    await startSampleSourceA({ ...lookups, ...repeated }),
    await startSampleSourceB(nastyEventOfB(0)),
  ]
  onTestFinished(async () => void (await Promise.all([a.close(), b.close()])))
  const workspace = await makeWorkspace('postgres')
  Object.assign(workspace.env, credentialsOfB)
  const source = { type: 'a', url: a.url, eventId: '4242', timeZone: 'Europe/Berlin' }
  workspace.configure({
    integrations: [integrationOfA('summit', a.url, { source }), integrationOfB('expo', b.url)],
  })
  const { integrations } = JSON.parse((await workspace.run('check', '--json')).stdout)
  for (const { integration, output } of (await workspace.report('run')).runs) {
    const decisions = readPack(output ?? '').decisions ?? []
    const tallyOf = (wanted: string) => {
      const tally = { synced: 0, excluded: {} as Record<string, number>, quarantined: 0 }
      for (const { content, decision, reason } of decisions) {
        if (content !== wanted) continue
        const why = String(reason)
        if (decision === 'excluded') tally.excluded[why] = (tally.excluded[why] ?? 0) + 1
        else tally[decision as 'synced' | 'quarantined'] += 1
      }
      return tally
    }
    for (const content of ['agenda', 'speakers', 'attendees']) {
      expect(integrations[integration][content]).toEqual(tallyOf(content))
    }
  }
  expect(integrations.summit.agenda.excluded.duplicate_id).toBeGreaterThan(0)
  expect(integrations.summit.attendees.quarantined).toBeGreaterThan(0)
})

test('check --deep finds a fault in the database that a run without changes does not look for', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure({ integrations: [integrationOfA('summit', source.url)] })
  const promises = async () =>
    (await checkJson(workspace, '--deep')).checks.find(({ rule }) => rule === 'promises')
  expect(await workspace.run('run')).toMatchObject({ code: 0 })
  expect(await promises()).toMatchObject({ status: 'ok', seen: 'no check finds a row' })

  for (const table of ['sync.desired_items', 'sync.platform_items']) {
    await workspace.rows(
      `update ${table} set fields = fields || '{"speakerIds": ["u1", "u4"]}' where unique_id = '101'`,
    )
  }
  // The desired items and the platform's items have the same fault, so the run finds nothing to change.
  expect(await workspace.run('run')).toMatchObject({ code: 0 })
  expect(await promises()).toMatchObject({
    status: 'failed',
    seen: 'before-apply/references-lead-to-items finds 1 row',
  })
  expect((await workspace.run('check')).stdout).not.toContain('promises')
})

test('if one integration has a fault, check still checks the other integrations, needs no database, and ends with exit code 1', async () => {
  // Only the time is left out that passes between two tries to reach a source or a platform.
  const sleeping = vi.spyOn(machine, 'sleep').mockResolvedValue()
  onTestFinished(() => sleeping.mockRestore())
  const hidden = await startScriptedSource({
    ...smallEvent,
    Users: (smallEvent.Users ?? []).map((user) => ({ ...(user as object), EmailAddress: null })),
  })
  const good = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  const databaseUrl = String(workspace.env.DATABASE_URL)
  Object.assign(workspace.env, { DATABASE_URL: 'postgres://nobody:canary@127.0.0.1:1/none', TOKEN: 'canary' })
  const platform = { type: 'http', url: 'http://127.0.0.1:9', eventId: '1' }
  const passwords = { mode: 'none' }
  workspace.configure({
    database: 'env:DATABASE_URL',
    audit: { signingKey: 'env:NO_KEY' },
    webhook: { url: 'env:NO_ADDRESS' },
    lineage: { to: 'env:NO_LINEAGE' },
    integrations: [
      integrationOfA('closed', 'http://127.0.0.1:9'),
      integrationOfA('hidden', hidden.url),
      integrationOfB('secret', good.url),
      integrationOfA('tokenless', good.url, {
        passwords,
        platform: { ...platform, eventId: '2', token: 'env:NO_TOKEN' },
      }),
      integrationOfA('undelivered', good.url, { passwords, platform: { ...platform, token: 'env:TOKEN' } }),
      integrationOfA('good', good.url),
    ],
    http: { retryBudgetSeconds: 0 },
  })
  const { code, stdout, stderr, checks } = await checkJson(workspace)
  expect(code).toBe(1)
  expect(stdout.trimEnd()).not.toContain('\n')
  expect(Object.keys(checks[0] ?? {})).toEqual(['integration', 'rule', 'clause', 'status', 'seen', 'todo'])
  const failed = checks.filter(({ status }) => status === 'failed')
  expect(failed.map(({ integration, rule, seen }) => [integration, rule, seen])).toEqual([
    [null, 'database', expect.stringContaining('env:DATABASE_URL')],
    [null, 'signing', expect.stringContaining('env:NO_KEY')],
    [null, 'webhook', expect.stringContaining('env:NO_ADDRESS')],
    [null, 'lineage', expect.stringContaining('env:NO_LINEAGE')],
    ['closed', 'reachable', expect.stringContaining('ECONNREFUSED')],
    [
      'hidden',
      'users.EmailAddress',
      'empty for all 4 users; required for attendees, so none would be synced',
    ],
    ['secret', 'credentials', expect.stringContaining('API_KEY')],
    ['tokenless', 'platform', expect.stringContaining('NO_TOKEN')],
    ['undelivered', 'platform', expect.stringContaining('the platform at http://127.0.0.1:9, event 1: ')],
  ])
  const [hiddenField] = failed.filter(({ integration }) => integration === 'hidden')
  expect(hiddenField).toMatchObject({
    clause: 'spec 2.1',
    todo: 'Admin → Users → Profile Fields: set EmailAddress to View for Anonymous',
  })
  // Text for people is written to standard error. Checks that fail for the same cause are reported in one
  // line.
  expect(stderr).toContain('to do: Admin → Users → Profile Fields: set EmailAddress to View for Anonymous')
  expect(stderr).toMatch(/not checkable +time_slots +and \d+ more\n +seen: {2}not read, see reachable\n/)
  expect(stderr).toMatch(/closed: sessions, page 1: .*ECONNREFUSED.*; retrying in/)
  expect(stdout + stderr).not.toMatch(/canary|people\.example|\n {4}at /)

  workspace.env.DATABASE_URL = databaseUrl
  const run = await workspace.run('run')
  expect(run).toMatchObject({ code: 64, stderr: expect.stringContaining('env:NO_KEY') })
  workspace.env.NO_KEY = SIGNING_KEY
  expect(await workspace.run('run')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('env:NO_ADDRESS'),
  })
})

test('check fails if the output folder cannot be written', async () => {
  const output = join(import.meta.filename, 'out')
  const { context, integration } = openPlace({
    database: {} as Database,
    output,
    integration: integrationOfA('summit', 'http://127.0.0.1:9'),
  })
  expect(await checkPlatform(context, integration)).toMatchObject({
    status: 'failed',
    seen: `the output folder ${output} cannot be written (ENOTDIR: not a directory: ${import.meta.filename} is not a folder; move it away, or name another path)`,
  })
})

test('check and run fail in the same way if the disk has no space for a pack as large as the last', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.configure({ integrations: [integrationOfA('summit', source.url)] })
  const { run } = await runOnce(workspace)
  // A file with a hole: it has this size, and takes no space.
  writeFileSync(join(workspace.folder, 'out', 'summit', run, 'large'), '')
  truncateSync(join(workspace.folder, 'out', 'summit', run, 'large'), 2 ** 43)
  const { checks } = await checkJson(workspace, 'summit')
  const [, says = ''] = /(the disk is too full: .* MB), and/.exec((await workspace.run('run')).stderr) ?? []
  expect(says).toMatch(/^the disk is too full: the audit pack in \S.*out needs about 8,388,60\d MB$/)
  expect(checks.find(({ rule }) => rule === 'platform')).toMatchObject({
    status: 'failed',
    seen: expect.stringContaining(says),
    todo: expect.stringMatching(/^free [\d,]+ MB or more, or set output to another folder$/),
  })
})

test('if a foreign schema is named staging, check fails, run ends with exit code 64, and nothing is created in the database', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres', true)
  workspace.configure({ integrations: [integrationOfA('summit', source.url)] })
  await workspace.rows('create schema staging')
  const checked = await checkJson(workspace, 'summit')
  const database = checked.checks.find(({ rule }) => rule === 'database')
  expect([checked.code, database]).toMatchObject([
    1,
    {
      status: 'failed',
      seen: 'the database has a schema named staging that event-content-sync did not make',
      todo: expect.stringContaining('give it a database of its own'),
    },
  ])
  for (const command of ['run', 'plan', 'schedule', 'runs']) {
    const { code, stderr } = await workspace.run(command)
    expect([command, code, stderr]).toEqual([command, 64, expect.stringContaining(`${database?.seen}; `)])
  }
  expect(
    await workspace.rows(
      "select nspname from pg_namespace where nspname in ('incoming', 'sync', 'published', 'migration', 'queue')",
    ),
  ).toEqual([])
  expect(workspace.files()).toEqual(['event-sync.yaml'])
})

test('check shows when the first session begins and when the last session ends, in the time zone of the event', async () => {
  const slot = (Id: number, StartTime: string, EndTime: string) => ({ Id, StartTime, EndTime })
  const source = await startScriptedSource({
    ...smallEvent,
    TimeSlots: [
      slot(1, '2031-05-04T13:00:00Z', '2031-05-06T01:30:00Z'),
      slot(2, '2031-05-04T01:15:00Z', '2031-05-04T02:00:00Z'),
    ],
    Sessions: [
      { Id: 101, Title: 'Opening', TimeSlotId: 2, Speakers: [] },
      { Id: 102, Title: 'Closing', TimeSlotId: 1, Speakers: [] },
      { Id: 103, Title: 'Without a time', Speakers: [] },
    ],
  })
  const workspace = await makeWorkspace('postgres')
  const place = { type: 'a', url: source.url, eventId: '4242' }
  const of = (id: string, more: Readonly<Record<string, unknown>>) => integrationOfA(id, source.url, more)
  workspace.configure({
    integrations: [
      of('summit', { source: { ...place, timeZone: 'America/New_York' } }),
      of('expo', {}),
      of('people', { content: ['attendees'] }),
    ],
  })
  const { checks } = await checkJson(workspace)
  expect(
    checks.filter(({ rule }) => rule === 'dates').map(({ integration, seen }) => [integration, seen]),
  ).toEqual([
    [
      'summit',
      'the first session begins 2031-05-03 21:15, the last one ends 2031-05-05 21:30 (America/New_York)',
    ],
    ['expo', 'the first session begins 2031-05-04 01:15, the last one ends 2031-05-06 01:30 (UTC)'],
  ])
})

test('check does not count people who were forgotten', async () => {
  const { url } = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.env.EVENT_SYNC_KEY = SEALING_KEY
  workspace.configure({ sealingKey: 'env:EVENT_SYNC_KEY', integrations: [integrationOfA('summit', url)] })
  const seen = async () =>
    (await checkJson(workspace)).checks.find(({ rule }) => rule === 'attendees.synced')?.seen
  expect((await workspace.run('run')).code).toBe(0)
  expect(await seen()).toBe('the next run would sync 4 of 4')
  expect((await workspace.run('forget', 'summit', 'attendees', 'u3')).code).toBe(0)
  expect(await seen()).toBe('the next run would sync 3 of 3')

  workspace.configure({ integrations: [integrationOfA('summit', url)] })
  const refused = await workspace.run('run')
  const { code, checks } = await checkJson(workspace)
  const failed = checks.filter(({ status }) => status === 'failed')
  expect([refused.code, code, failed.map(({ rule }) => rule)]).toEqual([64, 1, ['ledger', 'forgotten']])
  expect(refused.stdout + refused.stderr).toContain(failed[0]?.seen)
})
