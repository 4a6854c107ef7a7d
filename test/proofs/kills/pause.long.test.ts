import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SEALING_KEY } from '../../harness/place.ts'
import { CLI, start } from '../../pipeline/commands/command-line.ts'
import { startScriptedSource } from '../../pipeline/commands/scripted-source.ts'
import { configOfA, smallEvent } from '../../pipeline/commands/small-event.ts'
import { engines } from '../../support/engines.ts'
import { useFolder } from '../../support/folder.ts'
import { keepAt } from './kept.ts'

const MANY_PROCESSES_MS = 900_000
const KILLS = 12

const folder = useFolder()

// `pause` and `resume` store one row each, so they have no named points. They are killed at any time instead.
test.each(engines)(
  'pause and resume that are killed at any time are done or not done, and can be repeated; on %s',
  async (engine) => {
    const { url } = await startScriptedSource(smallEvent)
    const kept = await keepAt(engine, join(folder(), engine))
    const database = engine === 'postgres' ? { database: 'env:DATABASE_URL' } : {}
    writeFileSync(
      join(kept.at, 'event-sync.yaml'),
      JSON.stringify({ ...database, sealingKey: 'env:KEY', ...configOfA(url) }),
    )
    expect(await kept.command(['run'])).toMatchObject({ code: 0 })

    async function actions(): Promise<readonly string[]> {
      const opened = await kept.open()
      const rows = opened.kysely.selectFrom('sync.actions').where('action', 'in', ['paused', 'resumed'])
      return rows
        .orderBy('action_id')
        .select('action')
        .execute()
        .then((found) => found.map(({ action }) => action))
        .finally(() => opened.close())
    }

    const startedAt = performance.now()
    expect(await kept.command(['pause', 'summit'])).toMatchObject({ code: 0 })
    const wholeMs = performance.now() - startedAt
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const before = await actions()
      const isPinned = before.at(-1) === 'paused'
      const command = isPinned ? 'resume' : 'pause'
      const env = { ...kept.variables, KEY: SEALING_KEY }
      const child = start(process.execPath, [CLI, command, 'summit'], { folder: kept.at, env })
      await sleep((wholeMs * kill) / KILLS)
      child.kill('SIGKILL')
      await child.ended
      const after = await actions()
      expect(after.slice(0, before.length)).toEqual(before)
      expect(after.length - before.length).toBeLessThanOrEqual(1)
      expect(await kept.command([command, 'summit'])).toMatchObject({ code: 0 })
      expect((await actions()).at(-1)).toBe(isPinned ? 'resumed' : 'paused')
    }
    await kept.drop()
  },
  MANY_PROCESSES_MS,
)
