import { describe, expect, test } from 'vitest'
import { SEALING_KEY } from '../../harness/place.ts'
import { holdBack, startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { makeWorkspace } from './workspace.ts'

describe('while another process runs', () => {
  test('while a command uses the embedded database, every other command ends with exit code 5', async () => {
    const source = await startScriptedSource(smallEvent)
    const { script, asked } = holdBack('Users', 0)
    source.script = script
    const workspace = await makeWorkspace('pglite')
    workspace.configure({ integrations: [integrationOfA('summit', source.url)] })
    const first = workspace.start('run')
    await asked
    for (const [args, output] of [
      [['run', '--json'], /^\{"error":"the embedded database in [^\n]*"\}\n$/],
      [['sql', 'select 1'], /^$/],
    ] as const) {
      const { code, stdout, stderr } = await workspace.run(...args)
      expect(code).toBe(5)
      expect(stdout).toMatch(output)
      // On a busy machine, a process may be too slow to report its process id.
      expect(stderr).toMatch(
        /is in use by (process \d+|another process); wait until it ends, or use PostgreSQL/,
      )
    }
    // The lock is released when its process ends, even by SIGKILL.
    first.kill('SIGKILL')
    await first.ended
    expect(await workspace.run('runs')).toMatchObject({ code: 0, stderr: '' })
  })

  test('on PostgreSQL, a command ends with exit code 5 only if another command is changing the same integration [R47]', async () => {
    const [slow, other] = [await startScriptedSource(smallEvent), await startScriptedSource(smallEvent)]
    const workspace = await makeWorkspace('postgres')
    workspace.env.EVENT_SYNC_KEY = SEALING_KEY
    workspace.configure({
      sealingKey: 'env:EVENT_SYNC_KEY',
      integrations: [integrationOfA('summit', slow.url), integrationOfA('other', other.url)],
    })
    const { script, asked, release } = holdBack('Users', 0)
    const [done] = (await workspace.report('run', 'summit')).runs
    slow.script = script
    const first = workspace.run('run', 'summit')
    await asked
    const { code, runs } = await workspace.report('run')
    expect(code).toBe(5)
    expect(runs.map(({ integration, status }) => [integration, status])).toEqual([
      ['summit', 'locked'],
      ['other', 'finished'],
    ])
    expect(runs[0]?.error).toMatch(/^summit is locked by run [0-9a-f-]{36} of \S+; wait until it ends$/)
    expect((await workspace.report('runs')).runs[0]).toMatchObject({ status: 'running' })
    expect((await workspace.run('apply', 'summit', 'f'.repeat(64))).code).toBe(5)
    // While the integration is locked, `export` does not write even a finished pack, because an approval
    // could write into the same folder.
    const exported = await workspace.run('export', done?.run ?? '')
    expect([exported.code, exported.stderr]).toEqual([
      5,
      'summit is locked by another process; wait until it ends; nothing was written\n',
    ])
    const forgotten = await workspace.run('forget', 'summit', 'attendees', 'u1', '--json')
    expect([forgotten.code, JSON.parse(forgotten.stdout)]).toEqual([
      5,
      { error: 'summit is locked by another process; wait until it ends' },
    ])
    release()
    expect((await first).code).toBe(0)
  })
})
