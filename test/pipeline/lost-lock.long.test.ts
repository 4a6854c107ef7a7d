import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Point } from '../../pipeline/runtime/events.ts'
import { type Database, type IntegrationLock, LockLostError } from '../../sql/database.ts'
import type { SamplePlatform } from '../harness/sample-platform/start.ts'
import { usePlatforms } from '../harness/sample-platform/use-platform.ts'
import type { Ended } from './sync-to-platform.ts'
import { useSmallSync } from './use-small-sync.ts'

/**
 * Makes a database that loses its lock at the first transaction after `isDue` returns true. Before the lock
 * is lost, `other` runs as the process that takes the lock over.
 */
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
  const { database, sync } = useSmallSync('pglite')
  const platforms = usePlatforms()
  let platform: SamplePlatform
  beforeEach(async () => {
    platform = await platforms.start()
  })

  test.each<[string, Point]>([
    ['when it deletes leftovers before it reads', 'run opened'],
    ['when it stores what the platform has', 'source read'],
    ['when it stores its plan', 'platform known'],
    ['when it stores a batch', 'apply begun'],
    ['when it records an answer', 'batch stored'],
    ['when it stores another batch', 'answer recorded'],
    ['when it records that all was sent', 'operations sent'],
    ['before it writes its pack', 'plan applied'],
    ['when it ends', 'pack written'],
  ])('stops %s, and leaves everything to the process that has the lock now', async (_, point) => {
    const manifests: string[] = []
    const readManifests = ({ reports }: Ended) =>
      reports.map(({ output: folder }) => readFileSync(join(folder ?? '', 'manifest.json'), 'utf8'))
    let other: Ended | null = null
    const seen: string[] = []
    const takeOver = async () => {
      other = await sync({ platform })
      manifests.push(...readManifests(other))
    }
    const lost = await sync({
      platform,
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

  test('does not repeat a request that failed before the lock was lost', async () => {
    await platform.control('faults', { fault: 'failBeforeCommit', how: 503 })
    const points: string[] = []
    let sent = 0
    const takeOver = async () => {
      const { requests } = await platform.control('requests')
      sent = requests.filter(({ method }) => method === 'POST').length
      await sync({ platform })
    }
    const lost = await sync({
      platform,
      database: losing(database(), () => points.includes('batch stored'), takeOver),
      told: (line) => void points.push(JSON.parse(line).point),
    })
    expect(lost.last.error).toContain('summit: the lock was lost with its connection to the database')
    expect(sent).toBe(1)
  })
})
