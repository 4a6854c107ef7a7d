import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { SamplePlatform } from '../../pipeline/demo/sample-platform/start.ts'
import type { Point } from '../../pipeline/observe/told.ts'
import { type Database, type IntegrationLock, LockLostError } from '../../sql/database.ts'
import { useFolder } from '../support/folder.ts'
import { emptyTables } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'
import { type ScriptedSource, startScriptedSource } from './commands/scripted-source.ts'
import { smallEvent } from './commands/small-event.ts'
import { usePlatforms } from './demo/sample-platform/use-platform.ts'
import { type Ended, syncToPlatform } from './sync-to-platform.ts'

/** A database whose lock is lost when it is due, at the next transaction, before which another process has it. */
function losing(database: Database, isDue: () => boolean, other: () => Promise<void>): Database {
  let isLost = false
  const transaction: IntegrationLock['transaction'] = async (work) => {
    if (!isLost && !isDue()) return database.transaction(work)
    if (!isLost) await other()
    isLost = true
    throw new LockLostError('summit', new Error('the connection is gone'))
  }
  return { ...database, lock: async () => ({ transaction, release: async () => undefined }) }
}

describe('a run whose lock is lost', () => {
  const database = useDatabase('pglite')
  const output = useFolder()
  const platforms = usePlatforms()
  let source: ScriptedSource
  let platform: SamplePlatform

  beforeEach(async () => {
    await emptyTables(database().kysely)
    source = await startScriptedSource(structuredClone(smallEvent))
    platform = await platforms.start()
  })

  test.each<[string, Point]>([
    ['as it tidies up before it reads', 'run opened'],
    ['as it stores what the platform has', 'source read'],
    ['as it stores its plan', 'platform known'],
    ['as it takes its number', 'plan stored'],
    ['as it stores a batch', 'apply begun'],
    ['as it records an answer', 'batch stored'],
    ['as it stores another batch', 'answer recorded'],
    ['as it records that all was sent', 'operations sent'],
    ['before it writes its pack', 'plan applied'],
    ['as it ends', 'pack written'],
  ])('%s: stops, and leaves all of it to whoever has the lock now', async (_, point) => {
    const sync = { sourceUrl: source.url, platform, output: output(), batchSize: 2 }
    const manifests: string[] = []
    const readManifests = ({ reports }: Ended) =>
      reports.map(({ output: folder }) => readFileSync(join(folder ?? '', 'manifest.json'), 'utf8'))
    let other: Ended | null = null
    const seen: string[] = []
    const takeOver = async () => {
      other = await syncToPlatform({ ...sync, database: database() })
      manifests.push(...readManifests(other))
    }
    const lost = await syncToPlatform({
      ...sync,
      database: losing(database(), () => seen.includes(point), takeOver),
      told: (line) => void seen.push(JSON.parse(line).point),
    })
    expect(lost).toMatchObject({ code: 1, last: { status: 'failed' } })
    expect(lost.last.error).toContain('summit: the lock was lost with its connection to the database')
    if (other === null) throw new Error('the lock was not lost')
    expect(other).toMatchObject({ code: 0 })
    expect(readManifests(other)).toEqual(manifests)
    const runs = await database().kysely.selectFrom('sync.runs').select(['status', 'error']).execute()
    expect(runs.map(({ error }) => error)).toEqual(runs.map(() => null))
    expect(new Set(runs.map(({ status }) => status))).toContain('finished')
    const { ledger } = await platform.control('ledger')
    expect(ledger.map(({ effect }) => effect)).toEqual(ledger.map(() => 'created'))
    expect(ledger).toHaveLength(7)
  })
})
