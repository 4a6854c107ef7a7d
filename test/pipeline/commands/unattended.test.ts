import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import type { Started } from './command-line.ts'
import { holdBack, startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const schedule = { cron: '0 */4 * * *', timeZone: 'Europe/Berlin', jitterSeconds: 0 }

interface Shown {
  readonly schedules: readonly Readonly<Record<string, unknown>>[]
  readonly removed: readonly string[]
}

async function show(workspace: Workspace, ...args: readonly string[]): Promise<Shown> {
  const { code, stdout, stderr } = await workspace.run('schedule', ...args, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

/** Asks a worker how it is. */
async function ask(worker: Started, place: string): Promise<{ status: number; state: unknown }> {
  await worker.seen('worker started')
  const { stderr } = worker.output
  const url = /health (http:\S+?)\)/.exec(stderr)?.[1]
  const response = await fetch(`${url}/${place}`)
  return { status: response.status, state: await response.json() }
}

describe.each(engines)('unattended on %s', (engine) => {
  test('schedule brings the database in line with the configuration, and says what is due when', async () => {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace(engine)
    const integrations = ['summit', 'expo', 'fair'].map((id) => integrationOfA(id, source.url, { schedule }))
    workspace.configure({ integrations })
    const first = await show(workspace)
    expect(first.schedules.map(({ integration }) => integration)).toEqual(['summit', 'expo', 'fair'])
    expect(first.schedules[0]).toMatchObject({
      cron: '0 */4 * * *',
      timeZone: 'Europe/Berlin',
      offsetSeconds: 0,
    })
    expect(first.schedules[0]?.nextLocal).toMatch(/^\d{4}-\d\d-\d\d (00|04|08|12|16|20):00:00$/)
    expect(first.schedules[0]).toMatchObject({ lastRun: null, givenUp: null })
    workspace.configure({ integrations: [integrations[0], integrationOfA('expo', source.url)] })
    const second = await show(workspace)
    expect(second.removed).toEqual(['expo', 'fair'])
    expect(second.schedules.map(({ cron }) => cron)).toEqual(['0 */4 * * *', null])
    expect((await show(workspace)).removed).toEqual([])
  })

  test('a worker runs what is due, tells how it is, and ends with 143 when it is told to', async () => {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace(engine)
    workspace.configure({
      integrations: ['summit', 'expo'].map((id) => integrationOfA(id, source.url, { schedule })),
    })
    await show(workspace, '--now')
    const worker = workspace.start('worker', '--port', '0')
    await worker.seen('summit: finished')
    await worker.seen('expo: finished')
    // A run says that it is over before its turn is.
    await expect
      .poll(() => ask(worker, 'readyz'))
      .toMatchObject({
        status: 200,
        state: { ready: true, phase: 'working', database: true, underWay: [] },
      })
    expect((await ask(worker, 'healthz')).status).toBe(200)
    worker.kill('SIGTERM')
    const { code, stdout, stderr } = await worker.ended
    expect([code, stdout]).toEqual([143, ''])
    expect(stderr).toContain('worker stops')
    const shown = await show(workspace)
    expect(shown.schedules).toMatchObject([
      { lastRun: { status: 'finished' } },
      { lastRun: { status: 'finished' } },
    ])
  })
})

describe('workers on one PostgreSQL', () => {
  /** A worker whose run of `summit` waits for a page of its source. */
  async function holdWorker(...args: readonly string[]) {
    const source = await startScriptedSource(smallEvent)
    const { script, asked, release } = holdBack('Users', 0)
    source.script = script
    const workspace = await makeWorkspace('postgres')
    workspace.configure({ integrations: [integrationOfA('summit', source.url, { schedule })] })
    await show(workspace, '--now')
    const worker = workspace.start('worker', ...args)
    await asked
    return { source, workspace, worker, release }
  }

  test('a worker that dies is noticed within seconds, and another one takes its run over', async () => {
    const { source, workspace, worker } = await holdWorker()
    worker.kill('SIGKILL')
    await worker.ended
    source.script = async () => null
    const diedAt = performance.now()
    const other = workspace.start('worker')
    await other.seen('summit: begun, try 2')
    await other.seen('summit: finished')
    // Fifteen seconds without a beat, five until somebody looks, twenty of wait before the next try, two until it is seen.
    expect(performance.now() - diedAt).toBeLessThan(60_000)
    other.kill('SIGTERM')
    expect((await other.ended).code).toBe(143)
  })

  test('told to stop, a worker lets its run finish', async () => {
    const { release, worker } = await holdWorker('--grace', '60', '--port', '0')
    worker.kill('SIGTERM')
    await worker.seen('worker stops, after summit')
    expect(await ask(worker, 'readyz')).toMatchObject({ status: 503, state: { phase: 'stopping' } })
    expect((await ask(worker, 'healthz')).status).toBe(200)
    release()
    const { code, stderr } = await worker.ended
    expect(code).toBe(143)
    expect(stderr).toContain('summit: finished')
  })

  test('a run that does not finish in time is handed over, and is no failed try', async () => {
    const { source, workspace, worker } = await holdWorker('--grace', '1')
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(143)
    source.script = async () => null
    const other = workspace.start('worker')
    await other.seen('summit: finished')
    expect(other.output.stderr).not.toContain('try 2')
    other.kill('SIGTERM')
    await other.ended
  })

  test('what fails too often is given up and shown, until a run of it succeeds', async () => {
    const source = await startScriptedSource(smallEvent)
    source.script = async () => ({ status: 404, body: '' })
    const workspace = await makeWorkspace('postgres')
    workspace.configure({ integrations: [integrationOfA('summit', source.url, { schedule })] })
    await show(workspace, '--now')
    // Nobody waits for five tries here.
    await workspace.rows('update queue.job set retry_limit = 1, retry_delay = 1, retry_backoff = false')
    const worker = workspace.start('worker')
    await worker.seen('try 2')
    await worker.seen('run again')
    const givenUp = async () => (await show(workspace)).schedules[0]?.givenUp
    await expect.poll(givenUp, { timeout: 20_000 }).toMatchObject({
      tries: 2,
      error: expect.stringContaining('extract failed'),
    })
    source.script = async () => null
    await show(workspace, '--now')
    await worker.seen('summit: finished')
    await expect.poll(givenUp, { timeout: 20_000 }).toBeNull()
    worker.kill('SIGTERM')
    await worker.ended
  })

  test('an integration that is run by hand meanwhile waits, and is no failed try', async () => {
    const source = await startScriptedSource(smallEvent)
    const { script, asked } = holdBack('Users', 0)
    source.script = script
    const workspace = await makeWorkspace('postgres')
    workspace.configure({ integrations: [integrationOfA('summit', source.url, { schedule })] })
    const byHand = workspace.start('run')
    await asked
    await show(workspace, '--now')
    const worker = workspace.start('worker')
    await worker.seen('summit: another process runs it; put back')
    byHand.kill('SIGKILL')
    source.script = async () => null
    await worker.seen('summit: finished')
    expect(worker.output.stderr).not.toContain('try 2')
    worker.kill('SIGTERM')
    await worker.ended
  })

  test('a database that goes away and comes back is got over', async () => {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace('postgres')
    workspace.configure({ integrations: [integrationOfA('summit', source.url, { schedule })] })
    await show(workspace, '--now')
    const worker = workspace.start('worker', '--port', '0')
    await worker.seen('summit: finished')
    const name = new URL(workspace.env.DATABASE_URL ?? '').pathname.slice(1)
    const server = new URL(workspace.env.DATABASE_URL ?? '')
    server.pathname = '/postgres'
    const administer = async (text: string) => {
      const client = new pg.Client({ connectionString: server.href })
      await client.connect()
      await client.query(text).finally(() => client.end())
    }
    await administer(`alter database ${name} allow_connections false`)
    await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    await expect.poll(async () => (await ask(worker, 'readyz')).status, { timeout: 20_000 }).toBe(503)
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    await administer(`alter database ${name} allow_connections true`)
    await worker.seen('the database answers again')
    await expect.poll(async () => (await ask(worker, 'readyz')).status, { timeout: 40_000 }).toBe(200)
    // Asked again and again, it would have said so in many lines.
    expect(worker.output.stderr.match(/look for turns/g)?.length).toBe(1)
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(143)
  })
})
