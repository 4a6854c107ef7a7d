import { beforeEach, describe, expect, test } from 'vitest'
import { checkPlan, type GuardedPlan } from '../../../transforms/guards/check-plan.ts'
import type { GuardFinding } from '../../../transforms/guards/guard-finding.ts'
import { transformA } from '../../../transforms/source-a/index.ts'
import { readOf } from '../../support/columns-read.ts'
import { possess } from '../../support/desired.ts'
import { engines } from '../../support/engines.ts'
import { enterRun, ids, storeChanges } from '../../support/runs.ts'
import { emptyTables, INTEGRATION, insertStaged, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const NONE = { create: 0, update: 0, remove: 0, unchanged: 0 }
const PLAN: GuardedPlan = {
  integrationId: INTEGRATION,
  runId: runId(9),
  contents: ['agenda'],
  changes: { agenda: NONE },
  resources: [{ name: 'sessions', table: 'staging.a_sessions', contents: ['agenda'] }],
  readByChanges: new Set(),
  read: [],
  custom: [],
  lookups: new Map(),
  removals: { maxShare: 0.2, maxStatedShare: 0.5, minCount: 5, nowMs: Date.parse('2031-05-04T12:00:00Z') },
  blackout: true,
  massUpdate: 0.5,
  productVersion: '1.0.0',
}

describe.each(engines)('checks of a plan by the guards, on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(async () => {
    await emptyTables(db())
    await possess(
      db(),
      ids(30).map((id) => ['agenda', id, {}]),
    )
  })
  const check = (more: Partial<GuardedPlan> = {}, distrust: GuardFinding | null = null) =>
    checkPlan(db(), { ...PLAN, read: readOf(db(), transformA, ['agenda']), ...more }, distrust)
  const moveAll = () =>
    storeChanges(
      db(),
      9,
      ids(30).map((uniqueId) => ({
        uniqueId,
        content: 'agenda',
        before: { startTime: '1' },
        after: { startTime: '2' },
      })),
    )

  test('a mass update holds the plan; on a first run, or the first run of another product version, it is only noted', async () => {
    await moveAll()
    const first = await check()
    expect(first.hits).toEqual([])
    expect(first.notes).toEqual([
      expect.stringMatching(
        /^massUpdate lets this pass, because it is a first run: startTime of agenda would/,
      ),
    ])
    await enterRun(db(), 1, { productVersion: '0.9.0' })
    const upgraded = await check()
    expect(upgraded.hits).toEqual([])
    expect(upgraded.notes).toEqual([
      expect.stringMatching(
        /^massUpdate lets this pass, because it is the first run after version 0\.9\.0: start/,
      ),
    ])
    await enterRun(db(), 2, { appliedAt: '2031-05-02T12:00:00Z' })
    const { hits, notes } = await check()
    expect([hits.map(({ guard }) => guard), notes]).toEqual([['massUpdate'], []])
  })

  test('removals and mass updates hold the plan whatever was read; content that is not synced is not checked', async () => {
    await enterRun(db(), 1)
    const gone = ids(30).map((uniqueId) => ({ uniqueId, before: {}, inferred: 'removed_at_source' }))
    await storeChanges(
      db(),
      9,
      gone.map((change) => ({ ...change, content: 'agenda' })),
    )
    const changes = { agenda: { ...NONE, remove: 30 } }
    expect((await check({ changes })).hits.map(({ guard }) => guard)).toEqual(['removals'])
    expect((await check({ contents: ['speakers'], changes: { speakers: NONE } })).hits).toEqual([])
  })

  test('the records of resources and the values of fields are compared with the applied run', async () => {
    const former = { description: 'x', valid_from_run: runId(1), valid_to_run: runId(9) }
    const sessions = ids(30).map((source_id) => ({ source_id, ...former }))
    await insertStaged(db(), { 'staging.a_sessions': sessions })
    expect((await check()).hits).toEqual([])
    await enterRun(db(), 1)
    expect((await check()).hits.map(({ guard }) => guard)).toEqual(['emptied'])
    await insertStaged(db(), {
      'staging.a_sessions': ids(30).map((source_id) => ({ source_id, valid_from_run: runId(9) })),
    })
    expect((await check()).hits.map(({ guard }) => guard)).toEqual(['blackout'])
    expect((await check({ blackout: false })).hits).toEqual([])
  })

  test('if several guards hold a plan, the guard nearest to the cause comes first', async () => {
    await enterRun(db(), 1)
    const [removed, updated] = [ids(30).slice(0, 10), ids(30).slice(10)]
    await storeChanges(db(), 9, [
      ...removed.map((uniqueId) => {
        return { uniqueId, content: 'agenda' as const, before: {}, inferred: 'removed_at_source' }
      }),
      ...updated.map((uniqueId) => {
        return { uniqueId, content: 'agenda' as const, before: { startTime: '1' }, after: { startTime: '2' } }
      }),
    ])
    const former = { description: 'x', valid_from_run: runId(1), valid_to_run: runId(9) }
    await insertStaged(db(), {
      'staging.a_sessions': ids(30).map((source_id) => ({ source_id, ...former })),
    })
    const distrust = { guard: 'speakerType' as const, detail: '', todo: '', onlyRemovals: false }
    const changes = { agenda: { ...NONE, update: 20, remove: 10 } }
    const guards = async () => (await check({ changes }, distrust)).hits.map(({ guard }) => guard)
    expect(await guards()).toEqual(['emptied', 'speakerType', 'removals', 'massUpdate'])
    await insertStaged(db(), {
      'staging.a_sessions': ids(30).map((source_id) => ({ source_id, valid_from_run: runId(9) })),
    })
    expect(await guards()).toEqual(['speakerType', 'blackout', 'removals', 'massUpdate'])
  })
})
