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

  /** Enters an applied run that planned from a revision of the platform. */
  async function land(number: number, base: number, ...changes: readonly StoredChange[]): Promise<void> {
    await enterRun(db(), number, { base })
    await storeChanges(
      db(),
      number,
      changes.map((change) => ({ state: 'applied', ...change })),
    )
  }

  /** Returns the attendees as text, such as `ann 1`; the number is a field of the item. */
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

  test('are what the newest change up to the run left; otherwise what the next change found; otherwise what is known now', async () => {
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

  test('follow the order in which plans landed, not that of the runs: a plan may be applied late', async () => {
    await land(1, 0, { uniqueId: 'ann', after: v('1') })
    // Run 2 waited for approval. Meanwhile run 3 landed without changes, from the same revision.
    await land(3, 1)
    await land(2, 1, { uniqueId: 'ann', before: v('1'), after: v('2') })
    await land(4, 2, { uniqueId: 'ann', before: v('2'), after: v('4') })
    await possess(db(), [['attendees', 'ann', v('4')]])
    expect(await after(3, 1)).toEqual(['ann 1'])
    expect(await after(2, 1)).toEqual(['ann 2'])
    expect(await after(4, 2)).toEqual(['ann 4'])
  })

  test('do not have changes that were rejected, withheld or not sent', async () => {
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

  test('lack the former person of a handover if the platform removed that person and rejected the new one', async () => {
    await land(1, 0, { uniqueId: 'ann', after: v('1') })
    await land(2, 1, { uniqueId: 'ann', before: v('1'), after: v('2'), state: 'failed', freed: true })
    await land(3, 2, { uniqueId: 'ann', after: v('3') })
    await possess(db(), [['attendees', 'ann', v('3')]])
    expect(await after(1, 0)).toEqual(['ann 1'])
    expect(await after(2, 1)).toEqual([])
  })

  test('do not have what runs sent to another platform event', async () => {
    await land(1, 0, { uniqueId: 'ann', after: v('there') })
    await land(2, 5, { uniqueId: 'bob', after: v('here') })
    await db().updateTable('sync.integrations').set({ platform_base: 5 }).execute()
    await possess(db(), [['attendees', 'bob', v('here')]])
    expect(await after(2, 5)).toEqual(['bob here'])
  })
})
