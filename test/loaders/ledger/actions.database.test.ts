import { beforeEach, describe, expect, test } from 'vitest'
import { findActions, findPin, findPins, keepAction } from '../../../loaders/ledger/actions.ts'
import type { OperatorAction } from '../../../sql/tables.ts'
import { engines } from '../../support/engines.ts'
import { emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const at = (hour: number) => `2031-05-01T${String(hour).padStart(2, '0')}:00:00.000Z`

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  /** Stores an action whose time is the given hour and whose id is made from `number`. */
  function keep(
    number: number,
    action: OperatorAction,
    hour: number,
    more: { readonly until?: string; readonly reason?: string } = {},
    integrationId = INTEGRATION,
  ) {
    const { until = null, reason = null } = more
    const rest = { until, reason, madeBy: 'ana', runId: null, detail: null }
    return keepAction(db(), integrationId, { actionId: runId(number), action, madeAt: at(hour), ...rest })
  }

  const pinAt = (hour: number) => findPin(db(), INTEGRATION, at(hour))

  test('a pause or a rollback pins an integration until it is resumed; other actions do not change the pin', async () => {
    expect(await pinAt(1)).toBeNull()
    await keep(1, 'paused', 1, { reason: 'rooms move' })
    await keep(2, 'suppressed', 2)
    expect(await pinAt(3)).toEqual({ since: at(1), until: null, reason: 'rooms move' })
    await keep(3, 'resumed', 3)
    expect(await pinAt(4)).toBeNull()
    await keep(4, 'rolled_back', 4)
    expect(await pinAt(5)).toEqual({ since: at(4), until: null, reason: null })
  })

  test('a pause ends at its end time, and a later pause is a new pause with its own begin', async () => {
    await keep(1, 'paused', 1, { until: at(3) })
    expect(await pinAt(2)).toMatchObject({ since: at(1), until: at(3) })
    expect(await pinAt(3)).toBeNull()
    await keep(2, 'paused', 4)
    expect(await pinAt(5)).toMatchObject({ since: at(4) })
  })

  test('if a pinned integration is paused again, the end and the reason change, and the begin stays', async () => {
    await keep(1, 'rolled_back', 1, { reason: 'wrong rooms' })
    await keep(2, 'paused', 2, { until: at(6) })
    expect(await pinAt(5)).toEqual({ since: at(1), until: at(6), reason: null })
  })

  test('the action with the greatest id determines the pin, even if the clock was set back', async () => {
    await keep(1, 'paused', 5)
    await keep(2, 'resumed', 2)
    expect(await pinAt(6)).toBeNull()
  })

  test('one call finds the pins of many integrations, and no pins of other integrations', async () => {
    await keep(1, 'paused', 1, {}, 'expo')
    await keep(2, 'paused', 1, {}, 'other')
    await keep(3, 'resumed', 2, {}, INTEGRATION)
    const pins = await findPins(db(), [INTEGRATION, 'expo', 'nosuch'], at(2))
    expect([...pins.keys()]).toEqual(['expo'])
    expect(await findPins(db(), [], at(2))).toEqual(new Map())
  })

  test('actions are listed newest first, up to a limit; a filter lists one kind of action', async () => {
    await keep(1, 'paused', 1, { until: at(9), reason: 'why' })
    await keep(2, 'approved', 2)
    await keep(3, 'resumed', 3, {}, 'expo')
    const found = await findActions(db(), { integrationId: INTEGRATION })
    expect(found.map(({ action }) => action)).toEqual(['approved', 'paused'])
    expect(found[1]).toMatchObject({ madeAt: at(1), madeBy: 'ana', until: at(9), reason: 'why' })
    expect(await findActions(db(), { integrationId: INTEGRATION }, 1)).toHaveLength(1)
    const [paused] = await findActions(db(), { integrationId: INTEGRATION, actions: ['paused'] })
    expect(paused?.actionId).toBe(runId(1))
  })
})
