import { beforeEach, describe, expect, test } from 'vitest'
import { countDifferences, findDifferences } from '../../../loaders/explanation/differences.ts'
import type { Content } from '../../../sql/tables.ts'
import { engines } from '../../support/engines.ts'
import { emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  interface Version {
    readonly id: string
    readonly name: string
    readonly from: number
    readonly to?: number
    readonly content?: Content
    readonly integration?: string
  }

  async function store(versions: readonly Version[]): Promise<void> {
    await db()
      .insertInto('sync.desired_items')
      .values(
        versions.map(({ id, name, from, to, content = 'agenda', integration = INTEGRATION }) => ({
          integration_id: integration,
          content,
          unique_id: id,
          fields: JSON.stringify({ name }),
          valid_from_run: runId(from),
          valid_to_run: to === undefined ? null : runId(to),
        })),
      )
      .execute()
  }

  const runs = (from: number, to: number) => {
    return { integrationId: INTEGRATION, from: runId(from), to: runId(to) }
  }
  /** Returns the differing agenda items as `id before>after`. */
  const differences = async (from: number, to: number) => {
    const pages = await Array.fromAsync(findDifferences(db(), runs(from, to), 'agenda'))
    return pages.flat().map(({ action, uniqueId, before, after }) => {
      return `${action} ${uniqueId} ${before?.name ?? ''}>${after?.name ?? ''}`
    })
  }

  test('findDifferences returns the items that were added, changed or removed between two runs, and no unchanged items', async () => {
    await store([
      { id: 'same', name: 'a', from: 1 },
      { id: 'changed', name: 'a', from: 1, to: 3 },
      { id: 'changed', name: 'b', from: 3 },
      { id: 'removed', name: 'a', from: 2, to: 4 },
      { id: 'added', name: 'a', from: 3, to: 5 },
      { id: 'changed back', name: 'a', from: 1, to: 3 },
      { id: 'changed back', name: 'b', from: 3, to: 4 },
      { id: 'changed back', name: 'a', from: 4 },
      { id: 'between', name: 'a', from: 3, to: 4 },
      { id: 'earlier', name: 'a', from: 1, to: 2 },
      { id: 'later', name: 'a', from: 5 },
      { id: 'person', name: 'a', from: 3, content: 'attendees' },
      { id: 'other', name: 'a', from: 3, integration: 'other' },
    ])
    expect(await differences(2, 4)).toEqual(['create added >a', 'update changed a>b', 'remove removed a>'])
    expect(await differences(4, 2)).toEqual(['remove added a>', 'update changed b>a', 'create removed >a'])
    expect(await differences(2, 2)).toEqual([])
    const counted = await countDifferences(db(), runs(2, 4))
    expect(counted.map(({ content, action, count }) => `${content} ${action} ${count}`).sort()).toEqual([
      'agenda create 1',
      'agenda remove 1',
      'agenda update 1',
      'attendees create 1',
    ])
  })

  test('findDifferences returns each difference once, in the byte order of the ids, even if the differences fill several pages', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => `${index % 2 === 0 ? 'É' : 'e'}${index}`)
    await store(ids.map((id) => ({ id, name: 'a', from: 2 })))
    const pages = await Array.fromAsync(findDifferences(db(), runs(1, 2), 'agenda'))
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 50])
    expect(pages.flat().map(({ uniqueId }) => uniqueId)).toEqual(ids.toSorted())
  })

  test('a number that has more digits than a double can hold is returned with all its digits', async () => {
    await store([{ id: '1', name: 'a', from: 1 }])
    await db()
      .updateTable('sync.desired_items')
      .set({ fields: '{"custom":{"credits":12345678901234567890.5}}' })
      .execute()
    const [page = []] = await Array.fromAsync(findDifferences(db(), runs(0, 1), 'agenda'))
    expect(JSON.stringify(page[0]?.after)).toBe('{"custom.credits":12345678901234567890.5}')
  })
})
