import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunReport } from '../../../pipeline/runtime/report.ts'
import { type SourceBData, startSampleSourceB } from '../../harness/sample-source/b.ts'
import type { Ended } from './command-line.ts'
import { integrationOfB } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const API_KEY = 'canary-key/+ 1'
const AUTHENTICATION_SECRET = 'canary-secret:=%2F'
const EMAIL = 'canary.person@people.example'

const SEALING_KEY = Buffer.from('canary-sealing-key-of-32-bytes!!').toString('base64')

/** Each canary (a secret that no output may contain), in every form in which the product sends it. */
const CANARIES = [
  API_KEY,
  AUTHENTICATION_SECRET,
  encodeURIComponent(API_KEY),
  encodeURIComponent(AUTHENTICATION_SECRET),
  Buffer.from(`${encodeURIComponent(API_KEY)}:${encodeURIComponent(AUTHENTICATION_SECRET)}`).toString(
    'base64',
  ),
  'canary-token',
  'canary-password',
]

const registrant = {
  id: 1,
  first_name: 'Ada',
  last_name: 'L',
  email: EMAIL,
  reg_type_id: 20,
  session_ids: [],
  cancelled_at: null,
}
const data = {
  sessions: [{ id: 1, name: 'Keynote', date: '2031-08-08', start_time: '09:00:00', end_time: '10:00:00' }],
  registrants: [registrant],
  regTypes: [{ id: 20, name: 'Speaker' }],
}

/** Starts a sample Source B that accepts the canaries as credentials. */
async function startSource(held: SourceBData) {
  const credentials = { apiKey: API_KEY, authenticationSecret: AUTHENTICATION_SECRET }
  const source = await startSampleSourceB(held, credentials)
  onTestFinished(() => source.close())
  return source
}

async function workspaceOf(url: string, more: Readonly<Record<string, unknown>> = {}): Promise<Workspace> {
  const workspace = await makeWorkspace('postgres')
  Object.assign(workspace.env, {
    API_KEY,
    AUTHENTICATION_SECRET,
    // No server listens on this port, so the webhook fails, and the log contains this failure.
    WEBHOOK_URL: 'http://127.0.0.1:9/canary-path',
    WEBHOOK_SECRET: 'canary-webhook-secret',
  })
  workspace.configure({
    integrations: [integrationOfB('expo', url)],
    http: { retryBudgetSeconds: 0 },
    webhook: { url: 'env:WEBHOOK_URL', secret: 'env:WEBHOOK_SECRET', timeoutSeconds: 1 },
    ...more,
  })
  return workspace
}

/**
 * Runs a sync, and returns all text that people may see: both outputs, the ledger and the manifests. The data
 * files of the packs are not part of this text.
 */
async function runTraces(
  workspace: Workspace,
): Promise<Pick<Ended, 'code'> & { readonly text: string; readonly runs: readonly RunReport[] }> {
  const { code, stdout, stderr, runs } = await workspace.report('run', '--log-level', 'debug')
  const ledger = ['integrations', 'runs', 'certificates', 'unstaged', 'notices'].map((table) =>
    workspace.rows(`select row_to_json(t)::text as row from sync.${table} as t`),
  )
  const others = workspace.files('out').filter((file) => !/\.(?:csv|jsonl|html)$/.test(file))
  const read = others.map((file) => workspace.read('out', file))
  return { code, runs, text: [stdout, stderr, JSON.stringify(await Promise.all(ledger)), ...read].join('\n') }
}

/** Returns every row of every table in the schemas staging, sync and incoming. */
async function everyRow(workspace: Workspace): Promise<readonly unknown[]> {
  const tables = await workspace.rows(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('staging', 'sync', 'incoming') and table_type = 'BASE TABLE'`,
  )
  return Promise.all(
    tables.map(({ name }) => workspace.rows(`select row_to_json(t)::text as row from ${name} as t`)),
  )
}

function expectNoCanary(text: string): void {
  for (const canary of [...CANARIES, EMAIL]) expect(text).not.toContain(canary)
  // JSON may escape some characters of a canary (a secret in this test), but never the prefix `canary-`.
  expect(text).not.toContain('canary-')
}

test('no run prints or logs a secret or an e-mail address, even if it fails or quarantines records [R42]', async () => {
  const unreadable = [{ email: EMAIL, first_name: EMAIL }, { id: { email: EMAIL }, email: EMAIL }, EMAIL]
  const source = await startSource({ ...data, registrants: [registrant, ...unreadable] })
  const workspace = await workspaceOf(source.url, { output: './file/out' })
  writeFileSync(join(workspace.folder, 'file'), '')
  const failed = await runTraces(workspace)
  expect(failed.code).toBe(1)
  expectNoCanary(failed.text)

  workspace.configure({ integrations: [integrationOfB('expo', source.url)] })
  const landed = await runTraces(workspace)
  expect(landed.code).toBe(3)
  expect(landed.text).toContain('"quarantined":3')
  expectNoCanary(landed.text)
  // Only the pack contains personal data. The pack contains no credentials either.
  const pack = workspace
    .files('out')
    .map((file) => workspace.read('out', file))
    .join('\n')
  expect(pack).toContain(EMAIL)
  for (const canary of CANARIES) expect(pack).not.toContain(canary)
})

test('error messages about a missing secret or a wrong database address contain no secret [spec 2.5.3]', async () => {
  const workspace = await workspaceOf('http://127.0.0.1:9')
  const url = new URL(String(workspace.env.DATABASE_URL))
  delete workspace.env.API_KEY
  const missing = await workspace.run('run', '--json')
  expect(missing.code).toBe(64)
  expectNoCanary(missing.stdout + missing.stderr)

  const unusable = 'the database of env:DATABASE_URL cannot be used'
  for (const [bad, exitCode, message] of [
    [`postgres://postgres:canary-password@${url.host}/x`, 1, unusable],
    ['postgres://x:canary-password@[', 1, unusable],
    ['canary-password', 64, 'the address in env:DATABASE_URL is not one of PostgreSQL (not shown)'],
  ] as const) {
    workspace.env.DATABASE_URL = bad
    const { code, stdout, stderr } = await workspace.run('run', '--json')
    expect(code).toBe(exitCode)
    expect(stderr).toContain(message)
    expectNoCanary(stdout + stderr)
  }
})

test('with a platform of type jsonl, no password is written anywhere, in any password mode [spec 5.2.2, spec 8.2, R53, R74]', async () => {
  const modes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    global: { mode: 'global', global: 'env:PASSWORD' },
    emailed: { mode: 'global', global: 'env:PASSWORD', storeEncryptedPassword: true },
    random: { mode: 'random', storeEncryptedPassword: true },
    none: { mode: 'none' },
  }
  const source = await startSource(data)
  const workspace = await workspaceOf(source.url, {
    integrations: Object.entries(modes).map(([id, passwords]) => ({
      ...integrationOfB(id, source.url),
      passwords,
    })),
    sealingKey: 'env:SEALING_KEY',
  })
  Object.assign(workspace.env, { PASSWORD: 'canary-password', SEALING_KEY: SEALING_KEY })
  const { code, text, runs } = await runTraces(workspace)
  expect(code).toBe(0)
  const pack = workspace.files('out').map((file) => workspace.read('out', file))
  for (const each of [text, ...pack, JSON.stringify(await everyRow(workspace))]) {
    for (const canary of ['canary-password', SEALING_KEY]) expect(each).not.toContain(canary)
  }
  for (const { integration, run } of runs) {
    const operations = workspace.read('out', integration, String(run), 'operations.jsonl').split('\n')
    const attendee = JSON.parse(operations.find((line) => line.includes('"attendees"')) ?? '{}')
    expect(Object.keys(attendee), integration).toEqual(['seq', 'op', 'content', 'uniqueId', 'fields'])
    expect(Object.keys(attendee.fields), integration).toEqual(['firstName', 'lastName', 'emailAddress'])
  }
  expect(runs).toHaveLength(4)
})
