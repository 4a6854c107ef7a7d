import { describe, expect, test } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { engines } from '../../support/engines.ts'
import { samplesOf, valueIn } from '../observe/scraped.ts'
import { openTestIo, type TestIo } from './in-process.ts'
import { holdBack, startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { askWorker, schedule, showSchedules, urlOf } from './unattended.ts'
import { makeWorkspace } from './workspace.ts'

test('schedule stores only schedules that the configuration changed', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  const withCrons = (...crons: readonly string[]) =>
    crons.map((cron, at) => integrationOfA(`event-${at}`, source.url, { schedule: { ...schedule, cron } }))
  const stored = () => workspace.rows('select cron, updated_on from queue.schedule order by key')
  workspace.configure({ integrations: withCrons('0 1 * * *', '0 2 * * *') })
  await showSchedules(workspace)
  const [one, other] = await stored()
  expect(other).toMatchObject({ cron: '0 2 * * *' })
  await showSchedules(workspace)
  expect(await stored()).toEqual([one, other])
  workspace.configure({ integrations: withCrons('0 1 * * *', '0 3 * * *') })
  await showSchedules(workspace)
  expect(await stored()).toEqual([one, expect.objectContaining({ cron: '0 3 * * *' })])
})

describe.each(engines)('schedule and worker on %s', (engine) => {
  test('schedule stores the schedules of the configuration and shows when each integration is due', async () => {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace(engine)
    const integrations = ['summit', 'expo', 'fair'].map((id) => integrationOfA(id, source.url, { schedule }))
    workspace.configure({ integrations })
    const first = await showSchedules(workspace)
    expect(first.schedules.map(({ integration }) => integration)).toEqual(['summit', 'expo', 'fair'])
    expect(first.schedules[0]).toMatchObject({
      cron: '0 */4 * * *',
      timeZone: 'Europe/Berlin',
      offsetSeconds: 0,
    })
    expect(first.schedules[0]?.nextLocal).toMatch(/^\d{4}-\d\d-\d\d (00|04|08|12|16|20):00:00$/)
    expect(first.schedules[0]).toMatchObject({ lastRun: null, givenUp: null })
    workspace.configure({ integrations: [integrations[0], integrationOfA('expo', source.url)] })
    const second = await showSchedules(workspace)
    expect(second.removed).toEqual(['expo', 'fair'])
    expect(second.schedules.map(({ cron }) => cron)).toEqual(['0 */4 * * *', null])
    expect((await showSchedules(workspace)).removed).toEqual([])
  })

  test('a worker runs the integrations that are due, reports its health, and ends with exit code 143 on SIGTERM [spec 1.6, spec 6 p1]', async () => {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace(engine)
    workspace.configure({
      integrations: ['summit', 'expo'].map((id) => integrationOfA(id, source.url, { schedule })),
    })
    await showSchedules(workspace, '--now')
    const worker = openTestIo(workspace)
    const ended = runCommand(['worker', '--port', '0'], worker)
    await worker.seen('summit: finished')
    await worker.seen('expo: finished')
    // A run reports its end shortly before its job ends, so the test asks repeatedly.
    await expect
      .poll(() => askWorker(worker, 'readyz'))
      .toMatchObject({
        status: 200,
        state: { ready: true, phase: 'working', database: true, underWay: [] },
      })
    expect((await askWorker(worker, 'healthz')).status).toBe(200)
    worker.interrupt(143)
    expect([await ended, worker.output.stdout]).toEqual([143, ''])
    expect(worker.output.stderr).toContain('worker stops')
    const shown = await showSchedules(workspace)
    expect(shown.schedules).toMatchObject([
      { lastRun: { status: 'finished' } },
      { lastRun: { status: 'finished' } },
    ])
  })

  test('/metrics of a worker has the state of every integration, the backlog and what its runs did; after a restart also the age of the last success', async () => {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace(engine)
    const integrations = ['summit', 'expo', 'fair'].map((id) => integrationOfA(id, source.url, { schedule }))
    workspace.configure({ integrations })
    await showSchedules(workspace, '--now', 'summit')
    const first = openTestIo(workspace)
    const ended = runCommand(['worker', 'summit', '--port', '0'], first)
    await first.seen('summit: finished')
    const scraped = await scrape(first)
    expect(statesIn(scraped)).toEqual({ summit: 'up to date', expo: 'never run', fair: 'never run' })
    const integration = 'summit'
    expect(valueIn(scraped, 'event_sync_runs_total', { integration, result: 'finished' })).toBe(1)
    expect(valueIn(scraped, 'event_sync_run_duration_seconds_count', { integration })).toBe(1)
    expect(valueIn(scraped, 'event_sync_step_duration_seconds_count', { step: 'extract' })).toBe(1)
    expect(valueIn(scraped, 'event_sync_distinct_records_total', { integration, resource: 'users' })).toBe(4)
    expect(valueIn(scraped, 'event_sync_quarantined_total', { integration })).toBe(0)
    expect(valueIn(scraped, 'event_sync_jobs_waiting')).toBe(0)
    expect(scraped).not.toMatch(/people\.example|Ada/)
    // The job of expo is due, and no worker takes it.
    first.interrupt(143)
    await ended
    await showSchedules(workspace, '--now', 'expo')

    const second = openTestIo(workspace)
    const over = runCommand(['worker', 'summit', '--port', '0'], second)
    await expect.poll(async () => valueIn(await scrape(second), 'event_sync_jobs_waiting')).toBe(1)
    const later = await scrape(second)
    expect(valueIn(later, 'event_sync_jobs_oldest_wait_seconds')).toBeGreaterThan(0)
    const ages = samplesOf(later, 'event_sync_last_success_age_seconds')
    expect(ages.map(({ labels }) => labels)).toEqual([{ integration: 'summit' }])
    expect(valueIn(later, 'event_sync_runs_total', { integration, result: 'finished' })).toBe(0)
    second.interrupt(143)
    await over
  })
})

describe('a worker that reads its configuration again', () => {
  /** Starts a worker with the integration `summit`, whose run waits for a page until `release` is called. */
  async function holdWorker(...args: readonly string[]) {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace('postgres')
    const summit = integrationOfA('summit', source.url, { schedule })
    const configure = (...integrations: readonly object[]) => workspace.configure({ integrations })
    configure(summit)
    await showSchedules(workspace, '--now')
    const held = holdBack('Users', 0)
    source.script = held.script
    const worker = openTestIo(workspace)
    const ended = runCommand(['worker', '--concurrency', '2', '--port', '0', ...args], worker)
    await held.asked
    return {
      source,
      workspace,
      worker,
      configure,
      release() {
        source.script = async () => null
        held.release()
      },
      async stop() {
        worker.interrupt(143)
        return ended
      },
    }
  }

  test('at SIGHUP it reads the configuration again, runs an integration that was added, and loses no run', async () => {
    const { workspace, worker, configure, release, stop } = await holdWorker()
    const other = await startScriptedSource(smallEvent)
    // The run of summit goes on although the configuration does not have summit any more.
    configure(integrationOfA('expo', other.url, { schedule }))
    worker.hangUp()
    await worker.seen('the configuration was read again: 1 integration; new: expo; no longer: summit')
    await worker.seen('schedules differ from the configuration: summit, expo')
    await showSchedules(workspace, '--now')
    await worker.seen('expo: finished')
    expect(worker.output.stderr).not.toContain('summit: finished')
    release()
    await worker.seen('summit: finished')
    expect(statesIn(await scrape(worker))).toEqual({ expo: 'up to date' })
    expect(await stop()).toBe(143)
    const jobs = await workspace.rows("select state, singleton_key from queue.job where name = 'given-up'")
    expect(jobs).toEqual([])
  })

  test('it keeps its configuration if the changed one has a mistake, lacks a chosen integration or names another database', async () => {
    const { source, workspace, worker, configure, release, stop } = await holdWorker('summit')
    const unused = 'the changed configuration is not used, and the worker continues with the one before: '
    for (const [change, why] of [
      [() => configure({ id: 'summit' }), 'event-sync.yaml:'],
      [() => configure(integrationOfA('expo', source.url)), '"summit"'],
      [
        () =>
          workspace.configure({
            database: 'env:OTHER',
            integrations: [integrationOfA('summit', source.url)],
          }),
        'the key `database` was changed; restart this process to use it',
      ],
    ] as const) {
      change()
      worker.hangUp()
      await worker.seen(unused)
      await expect.poll(() => worker.output.stderr).toContain(why)
    }
    release()
    await worker.seen('summit: finished')
    expect(await stop()).toBe(143)
  })
})

async function scrape(worker: TestIo): Promise<string> {
  const response = await fetch(await urlOf(worker, 'metrics'))
  expect(response.status).toBe(200)
  return response.text()
}

/** Returns the state of each integration in the text of `/metrics`. */
function statesIn(scraped: string): Readonly<Record<string, string>> {
  const samples = samplesOf(scraped, 'event_sync_integration_state').filter(({ value }) => value === '1')
  return Object.fromEntries(samples.map(({ labels = {} }) => [labels.integration, labels.state]))
}
