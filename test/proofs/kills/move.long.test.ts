import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import type { MovePoint } from '../../../pipeline/runtime/events.ts'
import { startScriptedSource } from '../../pipeline/commands/scripted-source.ts'
import { configOfA, smallEvent } from '../../pipeline/commands/small-event.ts'
import { bothEngines } from '../../support/engines.ts'
import { useFolder } from '../../support/folder.ts'
import { createDatabase } from '../../support/postgres.ts'
import { keepAt } from './kept.ts'

/** Timeout of a test. Each kill starts processes of its own, and the machine may be busy. */
const MANY_PROCESSES_MS = 300_000

const POINTS: readonly (readonly [MovePoint, number])[] = [
  ['move noted at the old database', 1],
  ['move noted at the new database', 1],
  ['table emptied', 20],
  ['table copied', 20],
  ['table noted', 20],
  ['old database marked', 1],
  ['move finished', 1],
]

const folder = useFolder()

// This test needs both engines, because a move reads and marks the embedded database on its only connection.
describe.each(bothEngines)('from %s', (engine) => {
  test(
    'if a move is killed at any point, at most one database accepts runs, and the next move finishes the work',
    async () => {
      const source = await startScriptedSource(smallEvent)
      const first = await keepAt(engine, join(folder(), 'event'))
      const write = (at: string, database: string | null) => {
        const config = { ...(database === null ? {} : { database }), ...configOfA(source.url) }
        writeFileSync(join(at, 'event-sync.yaml'), JSON.stringify(config))
      }
      const own = engine === 'postgres' ? 'env:DATABASE_URL' : null
      write(first.at, own)
      expect(await first.command(['run'])).toMatchObject({ code: 0 })
      for (const [point, hit] of POINTS) {
        const kept = await first.copy()
        const move = ['move', '--to', 'file:new-url']
        writeFileSync(join(kept.at, 'new-url'), await createDatabase(inject('postgresUrl')))
        const killed = await kept.command(move, { death: `${point} ${hit}` })
        expect([point, killed.code]).toEqual([point, null])
        const isMarked = point === 'old database marked' || point === 'move finished'
        expect([point, (await kept.command(['run'])).code]).toEqual([point, isMarked ? 64 : 0])
        expect(await kept.command(move)).toMatchObject({ code: 0 })
        expect([point, (await kept.command(['run'])).code]).toEqual([point, 64])
        write(kept.at, 'file:new-url')
        expect([point, (await kept.command(['run'])).code]).toEqual([point, 0])
        expect([point, (await kept.command(['verify', 'out'])).code]).toEqual([point, 0])
        await kept.drop()
      }
    },
    MANY_PROCESSES_MS,
  )
})
