import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startSampleSourceB } from '../../../pipeline/demo/sample-source-b.ts'
import { integrationOfB } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const API_KEY = 'canary-key/+ 1'
const AUTHENTICATION_SECRET = 'canary-secret:=%2F'
const EMAIL = 'canary.person@people.example'

const SEALING_KEY = Buffer.from('canary-sealing-key-of-32-bytes!!').toString('base64')

/** Each canary in the forms in which it travels. */
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

/** A Source B that gives a token and then answers every list with the same text. */
async function startBadSource(answers: {
  readonly token?: string
  readonly status: number
  readonly body: string
}): Promise<string> {
  const server = createServer((request, response) => {
    const isToken = request.url?.includes('oauth2') === true
    const token =
      answers.token ?? '{"access_token":"canary-token","type":"bearer","expires_at":"2099-01-01 00:00:00"}'
    response.writeHead(isToken && answers.token === undefined ? 200 : answers.status, {
      'Content-Type': 'application/json',
    })
    response.end(isToken ? token : answers.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function workspaceOf(url: string, more: Readonly<Record<string, unknown>> = {}): Promise<Workspace> {
  const workspace = await makeWorkspace('postgres')
  Object.assign(workspace.env, {
    API_KEY,
    AUTHENTICATION_SECRET,
    // Nobody listens there, so that the log says that nobody could be told.
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

/** Everything that a run leaves for people to read, but for the data files: both outputs, ledger, manifests. */
async function runTraces(
  workspace: Workspace,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const { code, stdout, stderr } = await workspace.run('run', '--json', '--log-level', 'debug')
  const ledger = ['integrations', 'runs', 'certificates', 'unstaged', 'notices'].map((table) =>
    workspace.rows(`select row_to_json(t)::text as row from sync.${table} as t`),
  )
  const others = workspace.files('out').filter((file) => !/\.(?:csv|jsonl|html)$/.test(file))
  const read = others.map((file) => workspace.read('out', file))
  return { code, text: [stdout, stderr, JSON.stringify(await Promise.all(ledger)), ...read].join('\n') }
}

/** Every row of every table of the product. */
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
  // JSON may write a canary with escapes.
  expect(text).not.toContain('canary-')
}

const echo = `${API_KEY} ${AUTHENTICATION_SECRET} ${EMAIL} canary-token`

describe('neither credentials nor e-mail addresses stand in what a run says when', () => {
  const cases: readonly (readonly [string, Parameters<typeof startBadSource>[0], string])[] = [
    [
      'the token is refused',
      { token: JSON.stringify({ message: echo }), status: 401, body: '' },
      'check the credentials',
    ],
    [
      'the token is no token',
      { token: JSON.stringify({ access_token: 7, expires_at: echo }), status: 200, body: '' },
      'the answer holds no token',
    ],
    ['the source fails', { status: 500, body: JSON.stringify({ message: echo }) }, 'answered 500'],
    [
      'the source says what is wrong',
      { status: 422, body: JSON.stringify([{ message: echo }]) },
      'answered 422',
    ],
    [
      'an object comes instead of a list',
      { status: 200, body: JSON.stringify({ message: echo, email: EMAIL }) },
      'an object where an array is due',
    ],
    [
      'the list is not JSON',
      { status: 200, body: `{"items":[{"email":"${EMAIL}","x":${echo}}]}` },
      'the answer is not JSON',
    ],
    [
      'the list breaks off',
      { status: 200, body: `{"items":[{"id":1,"email":"${EMAIL}"},{"email":"${EMAIL}` },
      'extract failed',
    ],
  ]
  test.each(cases)('%s', async (_what, answers, message) => {
    const workspace = await workspaceOf(await startBadSource(answers))
    const { code, text } = await runTraces(workspace)
    expect(code).toBe(1)
    expect(text).toContain(message)
    expect(text).toContain('"msg":"untold"')
    expectNoCanary(text)
  })
})

test('nor where records are quarantined, the output cannot be written, or everything lands', async () => {
  const source = await startSampleSourceB(
    {
      ...data,
      registrants: [
        registrant,
        { email: EMAIL, first_name: EMAIL },
        { id: { email: EMAIL }, email: EMAIL },
        EMAIL,
      ],
    },
    { apiKey: API_KEY, authenticationSecret: AUTHENTICATION_SECRET },
  )
  onTestFinished(() => source.close())
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
  // The data itself is there, in the pack alone; credentials are nowhere.
  const pack = workspace
    .files('out')
    .map((file) => workspace.read('out', file))
    .join('\n')
  expect(pack).toContain(EMAIL)
  for (const canary of CANARIES) expect(pack).not.toContain(canary)
})

test('nor where a secret or the database is not as it should be', async () => {
  const workspace = await workspaceOf('http://127.0.0.1:9')
  const url = new URL(String(workspace.env.DATABASE_URL))
  delete workspace.env.API_KEY
  const missing = await workspace.run('run', '--json')
  expect(missing.code).toBe(64)
  expectNoCanary(missing.stdout + missing.stderr)

  for (const bad of [
    `postgres://postgres:canary-password@${url.host}/x`,
    'postgres://x:canary-password@[',
    'canary-password',
  ]) {
    workspace.env.DATABASE_URL = bad
    const { code, stdout, stderr } = await workspace.run('run', '--json')
    expect(code).toBe(1)
    expect(stderr).toContain('the database of env:DATABASE_URL cannot be used')
    expectNoCanary(stdout + stderr)
  }
})

describe('with a platform of type jsonl, which takes none, a password of attendees goes nowhere', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['mode: global', { mode: 'global', global: 'env:PASSWORD' }],
    [
      'mode: global, in the welcome email',
      { mode: 'global', global: 'env:PASSWORD', storeEncryptedPassword: true },
    ],
    ['mode: random', { mode: 'random', storeEncryptedPassword: true }],
    ['mode: none', { mode: 'none' }],
  ]
  test.each(cases)('%s', async (_mode, passwords) => {
    const source = await startSampleSourceB(data, {
      apiKey: API_KEY,
      authenticationSecret: AUTHENTICATION_SECRET,
    })
    onTestFinished(() => source.close())
    const workspace = await workspaceOf(source.url, {
      integrations: [{ ...integrationOfB('expo', source.url), passwords }],
      sealingKey: 'env:SEALING_KEY',
    })
    Object.assign(workspace.env, { PASSWORD: 'canary-password', SEALING_KEY: SEALING_KEY })
    const { code, text } = await runTraces(workspace)
    expect(code).toBe(0)
    const pack = workspace.files('out').map((file) => workspace.read('out', file))
    for (const each of [text, ...pack, JSON.stringify(await everyRow(workspace))]) {
      for (const canary of ['canary-password', SEALING_KEY]) expect(each).not.toContain(canary)
    }
    const operations = pack.flatMap((file) => (file.startsWith('{"type":"header"') ? file.split('\n') : []))
    const attendee = JSON.parse(operations.find((line) => line.includes('"attendees"')) ?? '{}')
    expect(Object.keys(attendee)).toEqual(['seq', 'op', 'content', 'uniqueId', 'fields'])
    expect(Object.keys(attendee.fields)).toEqual(['firstName', 'lastName', 'emailAddress'])
  })
})
