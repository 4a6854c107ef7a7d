import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startSilentProxy } from '../../harness/silent-proxy.ts'
import { type AtEnd, startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
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

// It is asked every 10 seconds, has 30 to answer, and as many to take the connection by which the failure would be told.
const MOST_MS = 90_000

test('a worker whose database falls silent is not ready after 15 seconds, and ends when it is told to', {
  timeout: 2 * MOST_MS,
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

test.concurrent.for([
  ['a connection is set up', 'set standard_conforming_strings'],
  ['the server is looked at', 'server_version_num'],
  ['the lock is taken', 'pg_try_advisory_lock'],
  ['the run is opened', 'insert into "sync"."runs"'],
  ['records are copied', 'copy "incoming"'],
  ['what was applied is noted', 'insert into "sync"."platform_items"'],
])(
  'a database that falls silent as %s ends the process, and the next run goes on',
  { timeout: 2 * MOST_MS },
  async ([, text = ''], { expect, onTestFinished }) => {
    const { workspace, proxy, source, direct } = await behindProxy(onTestFinished)
    workspace.configure(configOfA(source.url))
    proxy.silenceAt(text)
    const started = performance.now()
    const { code, stderr } = await workspace.start('run').ended
    expect(stderr).toMatch(/the database has not answered for \d+ s; see whether the network or a firewall/)
    expect(code).toBe(1)
    expect(performance.now() - started).toBeLessThan(MOST_MS)
    // As the server itself ends a session whose client is silent.
    await proxy.close()
    workspace.env.DATABASE_URL = direct
    expect((await workspace.start('run').ended).code).toBe(0)
  },
)
