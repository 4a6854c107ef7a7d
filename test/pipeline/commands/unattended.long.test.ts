import { describe, expect, test } from 'vitest'
import { withClient } from '../../support/postgres.ts'
import { holdBack, startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { askWorker as ask, schedule, showSchedules as show } from './unattended.ts'
import { makeWorkspace } from './workspace.ts'

describe('workers on one PostgreSQL', () => {
  /** Makes a workspace with the integration `summit`, which has a schedule. */
  async function scheduled() {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace('postgres')
    workspace.configure({ integrations: [integrationOfA('summit', source.url, { schedule })] })
    return { source, workspace }
  }

  /**
   * Starts a worker. The worker's run of `summit` waits for a page of the source until `release` is called.
   */
  async function holdWorker(...args: readonly string[]) {
    const { source, workspace } = await scheduled()
    const { script, asked, release } = holdBack('Users', 0)
    source.script = script
    await show(workspace, '--now')
    const worker = workspace.start('worker', ...args)
    await asked
    return { source, workspace, worker, release }
  }

  test('if a worker dies, another worker takes over its run', async () => {
    const { source, workspace, worker } = await holdWorker()
    worker.kill('SIGKILL')
    await worker.ended
    source.script = async () => null
    const other = workspace.start('worker')
    await other.seen('summit: begun, try 2')
    await other.seen('summit: finished')
    other.kill('SIGTERM')
    expect((await other.ended).code).toBe(143)
  })

  test('a worker reads its configuration again after a file was changed, and at SIGHUP', async () => {
    const { source, workspace } = await scheduled()
    await show(workspace)
    const worker = workspace.start('worker')
    await worker.seen('worker started')
    const integrations = ['summit', 'expo'].map((id) => integrationOfA(id, source.url, { schedule }))
    workspace.configure({ integrations })
    await worker.seen('the configuration was read again: 2 integrations; new: expo')
    await show(workspace, '--now')
    await worker.seen('expo: finished')
    worker.kill('SIGHUP')
    await worker.seen('the configuration was read again: 2 integrations\n')
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(143)
  })

  test('if a worker cannot use its queue, it ends with exit code 1 and a message', async () => {
    const { workspace } = await scheduled()
    await show(workspace)
    await workspace.rows('alter table queue.queue rename to lost')
    const { code, stderr } = await workspace.start('worker', '--port', '0').ended
    expect(code).toBe(1)
    expect(stderr).toContain('queue')
  })

  test('a job that has failed too often is given up, and schedule shows this until a run succeeds', async () => {
    const { source, workspace } = await scheduled()
    source.script = async () => ({ status: 404, body: '' })
    await show(workspace, '--now')
    // The job gets only one quick retry, because all retries would take too long.
    await workspace.rows('update queue.job set retry_limit = 1, retry_delay = 1, retry_backoff = false')
    const worker = workspace.start('worker')
    await worker.seen('try 2')
    await worker.seen('run again')
    const givenUp = async () => (await show(workspace)).schedules[0]?.givenUp
    await expect.poll(givenUp).toMatchObject({
      tries: 2,
      error: expect.stringContaining('extract failed'),
    })
    source.script = async () => null
    await show(workspace, '--now')
    await worker.seen('summit: finished')
    await expect.poll(givenUp).toBeNull()
    worker.kill('SIGTERM')
    await worker.ended
  })

  test('a worker continues after its database was unreachable for some seconds', async () => {
    const { workspace } = await scheduled()
    await show(workspace, '--now')
    const worker = workspace.start('worker', '--port', '0')
    await worker.seen('summit: finished')
    const name = new URL(workspace.env.DATABASE_URL ?? '').pathname.slice(1)
    const server = new URL(workspace.env.DATABASE_URL ?? '')
    server.pathname = '/postgres'
    const administer = (text: string) => withClient(server.href, (client) => client.query(text))
    await administer(`alter database ${name} allow_connections false`)
    await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    await expect.poll(async () => (await ask(worker, 'readyz')).status).toBe(503)
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    await administer(`alter database ${name} allow_connections true`)
    await worker.seen('the database answers again')
    await expect.poll(async () => (await ask(worker, 'readyz')).status).toBe(200)
    // The worker logs the outage of its database only once. The worker does not log each retry with which it
    // looks for due runs or ends a run.
    expect(worker.output.stderr.match(/look for due runs|record how a run ended/g)?.length).toBe(1)
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(143)
  })
})
