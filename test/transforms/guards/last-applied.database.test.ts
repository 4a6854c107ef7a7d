import { beforeEach, describe, expect, test } from 'vitest'
import { lastApplied } from '../../../transforms/guards/check-plan.ts'
import { possess } from '../../support/desired.ts'
import { engines } from '../../support/engines.ts'
import { enterRun } from '../../support/runs.ts'
import { emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const hold = { guard: 'removals', detail: '' }

describe.each(engines)('the run with which a plan is compared, on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(async () => {
    await emptyTables(db())
    await possess(db(), [['attendees', '1', {}]])
  })
  const found = () => lastApplied(db(), INTEGRATION)

  test('a plan is compared with the newest applied run; later runs that were only planned, held or failed are ignored', async () => {
    await enterRun(db(), 1)
    await enterRun(db(), 2, { productVersion: '2.0.0' })
    await enterRun(db(), 3, { appliedAt: null })
    await enterRun(db(), 4, { appliedAt: null, held: hold })
    expect(await found()).toEqual({ runId: runId(2), productVersion: '2.0.0', custom: {}, purgedAt: null })
  })

  test('a held run is compared with later plans only if it was approved, because its removals may have been withheld', async () => {
    await enterRun(db(), 1)
    await enterRun(db(), 2, { held: hold })
    expect(await found()).toMatchObject({ runId: runId(1) })
    await enterRun(db(), 3, { held: hold, approvedAt: '2031-05-01T12:00:00Z' })
    expect(await found()).toMatchObject({ runId: runId(3) })
  })

  test('after a rollback, the run to which it went back is compared, not what was read since; also after a rollback to a rollback', async () => {
    await enterRun(db(), 1)
    await enterRun(db(), 2, { held: hold, appliedAt: null })
    await enterRun(db(), 3, { appliedAt: '2031-05-02T12:00:00Z' })
    const approved = { appliedAt: '2031-05-03T12:00:00Z', approvedAt: '2031-05-03T12:00:00Z' }
    await enterRun(db(), 4, { ...approved, rollbackTo: 1 })
    expect(await found()).toMatchObject({ runId: runId(1) })
    await enterRun(db(), 5, { ...approved, appliedAt: '2031-05-04T12:00:00Z', rollbackTo: 4 })
    expect(await found()).toEqual({ runId: runId(1), productVersion: '1.0.0', custom: {}, purgedAt: null })
    await enterRun(db(), 6, { appliedAt: '2031-05-05T12:00:00Z' })
    expect(await found()).toMatchObject({ runId: runId(6) })
  })

  test('after a rollback to a held run whose removals may have been withheld, the run with which that one was compared is compared', async () => {
    await enterRun(db(), 1)
    await enterRun(db(), 2, { held: hold, appliedAt: '2031-05-02T12:00:00Z' })
    await enterRun(db(), 3, { appliedAt: '2031-05-03T12:00:00Z' })
    await enterRun(db(), 4, { appliedAt: '2031-05-04T12:00:00Z', rollbackTo: 2 })
    expect(await found()).toMatchObject({ runId: runId(1) })
  })

  test('no run is compared on a first run, or if no platform item is known, as after a rebind', async () => {
    await enterRun(db(), 1, { appliedAt: null })
    await enterRun(db(), 1, { integrationId: 'expo' })
    expect(await found()).toBeNull()
    await enterRun(db(), 2)
    await possess(db(), [])
    await possess(db(), [['attendees', '1', {}]], 'expo')
    expect(await found()).toBeNull()
  })
})
