import { beforeEach, describe, expect, test } from 'vitest'
import { platformAsOf } from '../../../transforms/history/platform-as-of.ts'
import { possess } from '../../support/desired.ts'
import { engines } from '../../support/engines.ts'
import { enterRun, type StoredChange, storeChanges } from '../../support/runs.ts'
import { emptyTables, enterIntegration, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

describe.each(engines)('the items that the platform had after a run, on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(async () => {
    await emptyTables(db())
    await enterIntegration(db())
  })

  /** Stores a run that planned from a revision of the platform and was applied. */
  async function land(number: number, base: number, ...changes: readonly StoredChange[]): Promise<void> {
    await enterRun(db(), number, { base })
    await storeChanges(
      db(),
      number,
      changes.map((change) => ({ state: 'applied', ...change })),
    )
  }

  /** Returns each attendee as a text such as `ann 1`, in which the number is a field of the item. */
  async function after(number: number, base: number): Promise<readonly string[]> {
    const run = { integrationId: INTEGRATION, runId: runId(number), base: String(base) }
    const rows = await db()
      .selectFrom(platformAsOf(db(), run, ['attendees']).as('item'))
      .orderBy('item.unique_id')
      .selectAll()
      .execute()
    return rows.map(({ unique_id, fields }) => `${unique_id} ${fields.v}`)
  }

  const v = (value: string) => ({ v: value })

  test('the items have the fields from the newest change up to the run, else those from before the next change, else the fields that are known now', async () => {
    await land(1, 0, { uniqueId: 'ann', after: v('1') }, { uniqueId: 'bob', after: v('1') })
    await land(2, 1, { uniqueId: 'ann', before: v('1'), after: v('2') })
    await land(
      3,
      2,
      { uniqueId: 'bob', before: v('1') },
      { uniqueId: 'cem', before: v('old'), after: v('3') },
    )
    await land(4, 3, { uniqueId: 'ann', before: v('2'), after: v('4') }, { uniqueId: 'bob', after: v('4') })
    await possess(db(), [
      ['attendees', 'ann', v('4')],
      ['attendees', 'bob', v('4')],
      ['attendees', 'cem', v('3')],
      ['attendees', 'dee', v('old')],
      ['speakers', 'ann', v('other content')],
    ])
    expect(await after(1, 0)).toEqual(['ann 1', 'bob 1', 'cem old', 'dee old'])
    expect(await after(2, 1)).toEqual(['ann 2', 'bob 1', 'cem old', 'dee old'])
    expect(await after(3, 2)).toEqual(['ann 2', 'cem 3', 'dee old'])
    expect(await after(4, 3)).toEqual(['ann 4', 'bob 4', 'cem 3', 'dee old'])
  })

  test('the items follow the order in which plans landed, because a plan may be applied after later runs', async () => {
    await land(1, 0, { uniqueId: 'ann', after: v('1') })
    // Run 2 waited for approval. Meanwhile, run 3 landed without changes and from the same revision.
    await land(3, 1)
    await land(2, 1, { uniqueId: 'ann', before: v('1'), after: v('2') })
    await land(4, 2, { uniqueId: 'ann', before: v('2'), after: v('4') })
    await possess(db(), [['attendees', 'ann', v('4')]])
    expect(await after(3, 1)).toEqual(['ann 1'])
    expect(await after(2, 1)).toEqual(['ann 2'])
    expect(await after(4, 2)).toEqual(['ann 4'])
  })

  test('the items lack changes that were rejected, withheld or not sent', async () => {
    await land(1, 0, { uniqueId: 'ann', after: v('1') })
    await land(
      2,
      1,
      { uniqueId: 'ann', before: v('1'), after: v('2'), state: 'failed' },
      { uniqueId: 'bob', after: v('2'), state: 'pending' },
      { uniqueId: 'cem', before: v('old'), state: 'withheld' },
    )
    await possess(db(), [
      ['attendees', 'ann', v('1')],
      ['attendees', 'cem', v('old')],
    ])
    expect(await after(2, 1)).toEqual(['ann 1', 'cem old'])
  })

  test('the items lack the former person of a handover if the platform removed this person and rejected the new person', async () => {
    await land(1, 0, { uniqueId: 'ann', after: v('1') })
    await land(2, 1, { uniqueId: 'ann', before: v('1'), after: v('2'), state: 'failed', freed: true })
    await land(3, 2, { uniqueId: 'ann', after: v('3') })
    await possess(db(), [['attendees', 'ann', v('3')]])
    expect(await after(1, 0)).toEqual(['ann 1'])
    expect(await after(2, 1)).toEqual([])
  })

  test('the items lack what earlier runs sent to another platform event', async () => {
    await land(1, 0, { uniqueId: 'ann', after: v('there') })
    await land(2, 5, { uniqueId: 'bob', after: v('here') })
    await db().updateTable('sync.integrations').set({ platform_base: 5 }).execute()
    await possess(db(), [['attendees', 'bob', v('here')]])
    expect(await after(2, 5)).toEqual(['bob here'])
  })
})
