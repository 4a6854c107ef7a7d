import { describe, expect, test } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { engines } from '../../support/engines.ts'
import { openTestIo } from './in-process.ts'
import { startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { askWorker, schedule, showSchedules } from './unattended.ts'
import { makeWorkspace } from './workspace.ts'

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
})
