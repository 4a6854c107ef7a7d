import { beforeEach, describe, expect, test } from 'vitest'
import { findRuns } from '../../loaders/ledger/ledger.ts'
import { findOpenPlans, withChanges } from '../../loaders/ledger/stored-plan.ts'
import { findSameRun } from '../../loaders/packs/earlier-packs.ts'
import { findUnpurgedPacks, findUnpurgedRepeats, firstKept, type Kept } from '../../loaders/people/purge.ts'
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
    const found = withChanges(await findOpenPlans(kysely, INTEGRATION))
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

  test('packs that were purged, or that must be written again, are not purged', async () => {
    const { kysely } = database()
    for (const number of [1, 2, 3, 4, 5, 6]) {
      await enterRun(kysely, number)
      await set(number, { manifest_sha256: `hash ${number}` })
    }
    await set(3, { manifest_sha256: null })
    await set(4, { pack_purged_at: CUTOFF })
    await set(5, { reissue_due: true })
    await set(2, { figures_of: runId(1) })
    const found = async (find: typeof findUnpurgedPacks) => {
      const before = { integrationId: INTEGRATION, runId: runId(6) }
      return (await find(kysely, before)).map(({ run_id }) => run_id)
    }
    expect(await found(findUnpurgedPacks)).toEqual([runId(1), runId(2)])
    expect(await found(findUnpurgedRepeats)).toEqual([runId(2)])
  })

  test('a run found the same as the first finished run with its figures and configuration, if nothing needs attention', async () => {
    const { kysely } = database()
    const counts = (more: object) => JSON.stringify({ changes: changes(0), quarantined: 0, ...more })
    for (const number of [1, 2, 3, 4, 5]) {
      await enterRun(kysely, number, { status: number === 2 ? 'failed' : 'finished' })
      await set(number, {
        manifest_sha256: `hash ${number}`,
        finished_at: `2031-05-01T13:0${number}:00Z`,
        certified: true,
        counts: counts({}),
        figures_of: number === 1 ? null : runId(1),
      })
    }
    const sameAs = async (number: number) => {
      const [run] = await findRuns(kysely, { runId: runId(number) })
      return run === undefined ? undefined : findSameRun(kysely, run)
    }
    expect(await Promise.all([1, 2, 3, 5].map(sameAs))).toEqual([null, runId(1), runId(1), runId(1)])
    await set(1, { status: 'failed' })
    expect(await Promise.all([3, 5].map(sameAs))).toEqual([null, runId(3)])
    await set(3, { config_hash: 'another' })
    expect(await sameAs(5)).toBe(runId(4))
    await set(4, { excel: true })
    expect(await sameAs(5)).toBeNull()
    await set(4, { excel: null, finished_at: '2040-01-01T00:00:00Z' })
    expect(await sameAs(5)).toBeNull()
    await set(4, { finished_at: '2031-01-01T00:00:00Z' })
    expect(await sameAs(5)).toBe(runId(4))
    for (const attention of [
      { certified: false },
      { held: JSON.stringify([]) },
      { gap: JSON.stringify([]) },
      { counts: counts({ changes: changes(1) }) },
      { counts: counts({ quarantined: 1 }) },
      { counts: counts({ withheld: 1 }) },
      { counts: counts({ notes: ['a note'] }) },
    ]) {
      await set(5, attention)
      expect(await sameAs(5), JSON.stringify(attention)).toBeNull()
      await set(5, { certified: true, held: null, gap: null, counts: counts({}) })
    }
    expect(await sameAs(5)).toBe(runId(4))
  })
})
