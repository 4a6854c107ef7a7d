import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
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

/**
 * Makes a workspace. The command reaches its database through a proxy that can stop passing bytes without
 * closing connections.
 */
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

// If the database sends nothing for 10 seconds, the command asks the server, which has 30 seconds to answer.
// The connection over which the failure is recorded may take another 30 seconds. The rest of the allowed time
// is a margin for a busy machine.
const MOST_MS = 180_000

test('if its database stops answering, a worker reports after 15 seconds that it is not ready, and it still ends on SIGTERM', {
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

// Requests need retries in this test. On a busy machine, a server may close a kept-alive connection just when
// the client uses it again.
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
  'if one connection stops answering at %s, the run fails and the next run continues',
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

test.concurrent('if a server accepts a connection and does not answer, the error says so', async ({
  expect,
  onTestFinished,
}) => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  await expect(openPostgres(`postgres://127.0.0.1:${port}/none`)).rejects.toThrow(SILENT)
})

test.concurrent('a lock waits for the commit of another session, even if the commit takes 45 seconds', async ({
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

test.concurrent('a query of 50 seconds succeeds, and so does a COPY that pauses meanwhile', async ({
  expect,
  onTestFinished,
}) => {
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
  ['the server version is read', 'server_version_num'],
  ['the lock is taken', 'pg_try_advisory_lock'],
  ['the run is opened', 'insert into "sync"."runs"'],
  ['records are copied', 'copy "incoming"'],
  ['applied items are stored', 'insert into "sync"."platform_items"'],
])(
  'if the database stops answering when %s, the process ends and the next run continues',
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
    // Closing the proxy ends the session of the command, as the server would end the session of a silent
    // client.
    await proxy.close()
    workspace.env.DATABASE_URL = direct
    const next = await workspace.start('run').ended
    expect(`${next.stderr}\n${next.code}`).toMatch(/\n0$/)
  },
)
