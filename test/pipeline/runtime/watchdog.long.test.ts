import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { findHolder } from '../../../pipeline/database/private-folder.ts'
import { environmentWith, startNode } from '../../harness/process.ts'
import { CLI } from '../commands/command-line.ts'
import { workspaceOfSmallEvent } from '../commands/small-workspace.ts'

const WATCHDOG = new URL('../../../pipeline/runtime/watchdog.ts', import.meta.url).href

/** Runs some work in a process that has a watchdog. */
function watched(work: string, { stillSeconds = 60, limitMs = 0 } = {}) {
  const script = `
    import { startWatchdog } from ${JSON.stringify(WATCHDOG)}
    const calls = new Int32Array(new SharedArrayBuffer(4))
    const onStuck = (why) => { console.log(why); process.exit(7) }
    const watchdog = startWatchdog(calls, onStuck, 'killed', ${stillSeconds})
    const takeAway = ${limitMs} > 0 ? watchdog.limit(${limitMs}) : () => undefined
    const busy = (ms, each = () => undefined) => { for (const end = Date.now() + ms; Date.now() < end; ) each() }
    ${work}
    watchdog.stop()`
  return startNode(['--input-type=module', '-e', script], { env: environmentWith({}), hangsAfterMs: 30_000 })
    .ended
}

describe('the watchdog, for work that', () => {
  test.each([
    ['neither answers nor works', 'busy(60_000)', { stillSeconds: 2 }, 7, 'still\n'],
    ['takes longer than its limit', 'busy(60_000)', { limitMs: 1000 }, 7, 'late\n'],
    ['works', 'busy(5_000, () => Atomics.add(calls, 0, 1))', { stillSeconds: 2 }, 0, ''],
    ['answers', 'await new Promise((resolve) => setTimeout(resolve, 5_000))', { stillSeconds: 2 }, 0, ''],
    ['is done in time', 'takeAway(); busy(3_000)', { limitMs: 1500 }, 0, ''],
  ])('%s', async (_, work, settings, code, stdout) => {
    expect(await watched(work, settings)).toMatchObject({ code, stdout, isHung: false })
  })
})

describe('an endless query of the embedded database', () => {
  const ENDLESS =
    'select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b where (a + b) % 7 = 3'

  test('an endless query of the embedded database ends after its timeout, and then other commands can use the database', async () => {
    const { workspace } = await workspaceOfSmallEvent('pglite')
    const { folder, env } = workspace
    const { ended } = startNode([CLI, 'sql', '--timeout', '1', ENDLESS], {
      folder,
      env: environmentWith(env),
      hangsAfterMs: 30_000,
    })
    expect(await ended).toMatchObject({
      code: 1,
      stderr:
        'the query was stopped: it took longer than its time; ask for less, or give it more seconds (sql --timeout)\n',
    })
    expect((await workspace.run('sql', 'select 1')).code).toBe(0)
  })

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'an endless query of the embedded database ends at %s, and then other commands can use the database',
    async (signal) => {
      const { workspace } = await workspaceOfSmallEvent('pglite')
      const { folder, env } = workspace
      const query = startNode([CLI, 'sql', ENDLESS], {
        folder,
        env: environmentWith(env),
        hangsAfterMs: 30_000,
      })
      const directory = join(folder, '.event-sync', 'db')
      while ((await findHolder(directory)) === null) await setTimeout(50)
      query.kill(signal)
      expect(await query.ended).toMatchObject({ signal, isHung: false })
      expect((await workspace.run('sql', 'select 1')).code).toBe(0)
    },
  )
})

test('an endless query of PostgreSQL ends after its timeout', async () => {
  const { workspace } = await workspaceOfSmallEvent('postgres')
  expect(await workspace.run('sql', '--timeout', '1', 'select pg_sleep(60)')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('canceling statement due to statement timeout'),
  })
})
