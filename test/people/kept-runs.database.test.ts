import { beforeEach, describe, expect, test } from 'vitest'
import { findApplicable } from '../../loaders/ledger/stored-plan.ts'
import { findUnpurgedPacks, firstKept, type Kept } from '../../loaders/people/purge.ts'
import type { RunStatus } from '../../sql/tables.ts'
import { engines } from '../support/engines.ts'
import { enterRun } from '../support/runs.ts'
import { enterIntegration, INTEGRATION, runId } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'

/** All runs of these tests are older. */
const CUTOFF = '2032-01-01T00:00:00Z'
const changes = (create: number) => ({ agenda: { create, update: 0, remove: 0, unchanged: 3 } })

describe.each(engines)('runs that a purge keeps, on %s', (engine) => {
  const database = useDatabase(engine)

  beforeEach(async () => {
    await database().kysely.deleteFrom('sync.runs').execute()
    await database().kysely.deleteFrom('sync.integrations').execute()
  })

  const set = (number: number, values: object) =>
    database().kysely.updateTable('sync.runs').set(values).where('run_id', '=', runId(number)).execute()
  const first = (kept: Partial<Kept>) =>
    firstKept(database().kysely, INTEGRATION, { cutoff: CUTOFF, keepRuns: 2, ...kept })

  test('a part of a purge ends after the given number of runs that were not purged yet', async () => {
    for (let number = 1; number <= 9; number += 1) await enterRun(database().kysely, number)
    expect(await first({})).toBe(runId(8))
    expect(await first({ most: 3 })).toBe(runId(4))
    for (const number of [1, 2, 3]) await set(number, { purged_at: CUTOFF })
    expect(await first({ most: 3 })).toBe(runId(7))
    expect(await first({ most: 30 })).toBe(runId(8))
    expect(await first({ alsoKept: [runId(5)] })).toBe(runId(5))
    expect(await first({ alsoKept: [runId(1)] })).toBeNull()
  })

  test('a plan with changes that apply still accepts is found and kept: the newest of equal plans, and the plan of a rollback', async () => {
    const { kysely } = database()
    const plan = async (
      number: number,
      hash: string,
      create: number,
      more: { rollbackTo?: number; status?: RunStatus } = {},
    ) => {
      await enterRun(kysely, number, { appliedAt: null, ...more })
      const counts = JSON.stringify({ changes: changes(create) })
      await set(number, { plan_hash: hash, counts })
    }
    await enterIntegration(kysely, { base: 0 })
    await plan(1, 'old', 1)
    await plan(2, 'back', 1, { rollbackTo: 1 })
    await plan(3, 'same', 1)
    await plan(4, 'same', 1)
    await plan(5, 'same', 0)
    await plan(6, 'same', 1, { status: 'finished' })
    const found = await findApplicable(kysely, INTEGRATION)
    expect(found.map(({ run_id }) => run_id)).toEqual([runId(4), runId(2)])

    await plan(7, 'same', 0, { status: 'finished' })
    await plan(8, 'same', 0, { status: 'finished' })
    expect(await first({})).toBe(runId(2))
    await set(2, { base: 9 })
    expect(await first({})).toBe(runId(4))
    await set(4, { base: 9 })
    await set(3, { base: 9 })
    expect(await first({})).toBe(runId(7))
  })

  test('a pack counts as unchanged only if its run has finished and changed nothing', async () => {
    const { kysely } = database()
    for (const [number, status, create] of [
      [1, 'finished', 0],
      [2, 'finished', 1],
      [3, 'failed', 0],
      [4, 'finished', 0],
      [5, 'finished', 0],
      [6, 'finished', 0],
    ] as const) {
      await enterRun(kysely, number, { status })
      await set(number, {
        manifest_sha256: `hash ${number}`,
        counts: JSON.stringify({ changes: changes(create) }),
      })
    }
    await set(4, { pack_purged_at: CUTOFF })
    await set(5, { reissue_due: true })
    const packs = await findUnpurgedPacks(kysely, { integrationId: INTEGRATION, runId: runId(6) })
    expect(packs).toEqual([
      { run: runId(1), manifestSha256: 'hash 1', isUnchanged: true },
      { run: runId(2), manifestSha256: 'hash 2', isUnchanged: false },
      { run: runId(3), manifestSha256: 'hash 3', isUnchanged: false },
    ])
  })
})
