import { expect, onTestFinished, test } from 'vitest'
import { startCrashingServer } from '../../proofs/kills/crashing-server.ts'
import { createDatabase } from '../../support/postgres.ts'
import { holdBack } from './scripted-source.ts'
import { configOfA } from './small-event.ts'
import { startPlatform, workspaceOfSmallEvent } from './small-workspace.ts'

/** Makes a workspace with its own platform and its own PostgreSQL server, which the test can restart. */
async function openWithServer() {
  const server = await startCrashingServer()
  if (server === null) throw new Error('with TEST_DATABASE_URL there is no server that may be restarted')
  onTestFinished(() => server.stop())
  const { source, workspace } = await workspaceOfSmallEvent()
  workspace.env.DATABASE_URL = await createDatabase(server.url)
  const platform = await startPlatform(workspace)
  workspace.configure(configOfA(source.url, { platform: platform.config(100), passwords: { mode: 'none' } }))
  return { server, source, workspace, platform }
}

test.skipIf((process.env.TEST_DATABASE_URL ?? '') !== '')(
  'if PostgreSQL restarts during apply, run says "platform possibly touched", and the next run finishes the plan',
  async () => {
    const { server, workspace, platform } = await openWithServer()
    await platform.control('faults', { fault: 'latency', ms: 10_000 })
    const run = workspace.start('run', '--json')
    const isSent = async () =>
      (await platform.control('requests')).requests.some(({ method }) => method === 'POST')
    await expect.poll(isSent).toBe(true)
    await server.crash()
    const { code, stdout } = await run.ended
    expect(code).toBe(1)
    const [report] = JSON.parse(stdout).runs
    expect(report).toMatchObject({ status: 'failed', run: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(report.error).toMatch(/\nplatform possibly touched; the next run finishes this plan first /)
    const next = await workspace.report('run')
    expect([next.code, next.runs[0]?.run, next.runs.length]).toEqual([0, report.run, 2])
    expect((await platform.control('state')).items.agenda).toHaveLength(2)
  },
)

test.skipIf((process.env.TEST_DATABASE_URL ?? '') !== '')(
  'if PostgreSQL restarts during a read, run says "platform untouched"',
  async () => {
    const { server, source, workspace } = await openWithServer()
    const { script, asked, release } = holdBack('Users', 2)
    source.script = script
    const run = workspace.start('run')
    await asked
    await server.crash()
    release()
    expect(await run.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('platform untouched; safe to run again\n'),
    })
    expect((await workspace.run('run')).code).toBe(0)
  },
)
