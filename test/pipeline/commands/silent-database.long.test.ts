import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { announceCommit } from '../../../pipeline/database/integration-lock.ts'
import { openPostgres } from '../../../pipeline/database/postgres.ts'
import { startSilentProxy } from '../../harness/silent-proxy.ts'
import { type AtEnd, startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { startPlatform } from './small-workspace.ts'
import { askWorker } from './unattended.ts'
import { makeWorkspace } from './workspace.ts'

/** A workspace whose database is behind a network that can forget its connections. */
async function behindProxy(atEnd: AtEnd = onTestFinished) {
  const workspace = await makeWorkspace('postgres', false, atEnd)
  const direct = workspace.env.DATABASE_URL ?? ''
  const url = new URL(direct)
  const proxy = await startSilentProxy({ host: url.hostname, port: Number(url.port) })
  atEnd(() => void proxy.close())
  url.port = String(proxy.port)
  workspace.env.DATABASE_URL = url.href
  const source = await startScriptedSource(smallEvent, atEnd)
  return { workspace, proxy, source, direct }
}

// It is asked after 10 seconds, has 30 to answer, and as many to take the connection by which the failure would be reported. The rest is for a busy machine.
const MOST_MS = 180_000

test('a worker whose database falls silent is not ready after 15 seconds, and ends on SIGTERM', {
  timeout: MOST_MS + 60_000,
}, async () => {
  const { workspace, proxy, source } = await behindProxy()
  workspace.configure(configOfA(source.url))
  const worker = workspace.start('worker', '--port', '0', '--grace', '1')
  const status = async () => (await askWorker(worker, 'readyz')).status
  await expect.poll(status).toBe(200)
  proxy.silence()
  await sleep(20_000)
  expect(await status()).toBe(503)
  worker.kill('SIGTERM')
  const stopped = performance.now()
  expect((await worker.ended).code).toBe(143)
  expect(performance.now() - stopped).toBeLessThan(15_000)
})

// On a busy machine a server may close a connection that is kept just when it is used again.
const PATIENT = { http: { retryBudgetSeconds: 60 } }
const SILENT = /the database has not answered for \d+ s; check whether the network or a firewall/

test.concurrent.for([
  ['a statement', 'insert into "sync"."runs"'],
  ['a COPY', 'copy "incoming"'],
  ['the rows of a COPY', 'u1@people.example'],
  ['a statement of the longest transaction', 'insert into "sync"."changes"'],
  ['the lock', 'pg_try_advisory_lock'],
  ['a batch', 'insert into "sync"."batches"'],
])(
  'a single connection that falls silent at %s fails the run, and the next one goes on',
  { timeout: MOST_MS + 60_000 },
  async ([, text = ''], { expect, onTestFinished }) => {
    const { workspace, proxy, source } = await behindProxy(onTestFinished)
    const platform = await startPlatform(workspace, onTestFinished)
    workspace.configure({
      ...configOfA(source.url, { platform: platform.config(100), passwords: { mode: 'none' } }),
      ...PATIENT,
    })
    proxy.silenceOneAt(text)
    const started = performance.now()
    const { code, stderr } = await workspace.start('run').ended
    expect([code, stderr]).toEqual([1, expect.stringMatching(SILENT)])
    expect(performance.now() - started).toBeLessThan(MOST_MS)
    proxy.silenceOneAt('no statement has this text')
    const next = await workspace.start('run').ended
    expect(`${next.stderr}\n${next.code}`).toMatch(/\n0$/)
  },
)

test.concurrent('a commit of another session that takes longer than an answer is waited for', async ({
  expect,
  onTestFinished,
}) => {
  const { workspace } = await behindProxy(onTestFinished)
  const database = await openPostgres(workspace.env.DATABASE_URL ?? '')
  onTestFinished(() => database.close())
  const committing = database.transaction(async (db) => {
    await announceCommit(db, 'summit')
    await sleep(45_000)
  })
  await sleep(1_000)
  const lock = await database.lock('summit')
  expect(lock).not.toBeNull()
  await lock?.release()
  await committing
})

test.concurrent('a query that takes longer is waited for', async ({ expect, onTestFinished }) => {
  const { workspace } = await behindProxy(onTestFinished)
  const database = await openPostgres(workspace.env.DATABASE_URL ?? '')
  onTestFinished(() => database.close())
  const sink = database.copyInto('migration.applied', ['name', 'sha256'])
  await sink.write(['x'.repeat(100_000), 'a'])
  const { rows } = await database.executeSql('select 1 as one from pg_sleep(50)')
  await sink.write(['y', 'b'])
  await sink.commit()
  expect(rows).toEqual([{ one: 1 }])
})

test.concurrent.for([
  ['a connection is set up', 'set standard_conforming_strings'],
  ['the server is looked at', 'server_version_num'],
  ['the lock is taken', 'pg_try_advisory_lock'],
  ['the run is opened', 'insert into "sync"."runs"'],
  ['records are copied', 'copy "incoming"'],
  ['what was applied is noted', 'insert into "sync"."platform_items"'],
])(
  'a database that falls silent as %s ends the process, and the next run goes on',
  { timeout: MOST_MS + 60_000 },
  async ([, text = ''], { expect, onTestFinished }) => {
    const { workspace, proxy, source, direct } = await behindProxy(onTestFinished)
    workspace.configure({ ...configOfA(source.url), ...PATIENT })
    proxy.silenceAt(text)
    const started = performance.now()
    const { code, stderr } = await workspace.start('run').ended
    expect(stderr).toMatch(SILENT)
    expect(code).toBe(1)
    expect(performance.now() - started).toBeLessThan(MOST_MS)
    // As the server itself ends a session whose client is silent.
    await proxy.close()
    workspace.env.DATABASE_URL = direct
    const next = await workspace.start('run').ended
    expect(`${next.stderr}\n${next.code}`).toMatch(/\n0$/)
  },
)
