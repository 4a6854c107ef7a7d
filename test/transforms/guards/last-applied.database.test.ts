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
    expect(await found()).toEqual({ runId: runId(2), productVersion: '2.0.0', custom: {} })
  })

  test('a held run is compared with later plans only if it was approved, because its removals may have been withheld', async () => {
    await enterRun(db(), 1)
    await enterRun(db(), 2, { held: hold })
    expect(await found()).toMatchObject({ runId: runId(1) })
    await enterRun(db(), 3, { held: hold, approvedAt: '2031-05-01T12:00:00Z' })
    expect(await found()).toMatchObject({ runId: runId(3) })
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
