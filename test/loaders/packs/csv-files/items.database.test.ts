import { beforeEach, describe, expect, test } from 'vitest'
import { type CsvCell, noMask } from '../../../../loaders/packs/csv-files/csv.ts'
import { itemsFile } from '../../../../loaders/packs/csv-files/pack-files.ts'
import type { Content, Fields } from '../../../../sql/tables.ts'
import { desire, type Item } from '../../../support/desired.ts'
import { engines } from '../../../support/engines.ts'
import { storeChanges } from '../../../support/runs.ts'
import { emptyTables, INTEGRATION, runId } from '../../../support/staged.ts'
import { useDatabase } from '../../../support/use-database.ts'

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  async function rows(content: Content, run = 1): Promise<readonly (readonly CsvCell[])[]> {
    const audited = { integrationId: INTEGRATION, runId: runId(run) }
    const resourceOf = new Map([[content, '']])
    const source = { db: db(), run: audited, resourceOf, timeZone: 'America/New_York', mask: noMask }
    return (await Array.fromAsync(itemsFile(content).pages(source))).flat()
  }

  const FULL: Fields = {
    name: 'Opening',
    startTime: '2031-05-04T13:00:00Z',
    endTime: '2031-05-04T14:00:00Z',
    description: '<p>x</p>',
    location: 'North; wing',
    sessionTracks: ['Data; Science'],
    filterGroup: 'Types',
    subFilters: ['Talk'],
    speakerIds: ['2', '1'],
    linkUrls: ['https://a.example/', 'https://b.example/;x'],
  }

  test('every field of an item is in its column; lists are joined, and absent fields are empty', async () => {
    await desire(db(), [
      ['agenda', 'full', FULL],
      ['agenda', 'small', { name: 'x' }],
      ['speakers', 'full', { firstName: 'Ada' }],
    ])
    expect(await rows('agenda')).toEqual([
      [
        'full',
        'unchanged',
        'Opening',
        '2031-05-04T13:00:00Z',
        '2031-05-04T14:00:00Z',
        '<p>x</p>',
        'North; wing',
        'Data\\; Science',
        'Types',
        'Talk',
        '2; 1',
        'https://a.example/; https://b.example/\\;x',
        '2031-05-04T09:00:00',
        '2031-05-04T10:00:00',
        'America/New_York',
      ],
      ['small', 'unchanged', 'x', ...Array(9).fill(null), null, null, 'America/New_York'],
    ])
  })

  test('the column `action` says if the run creates the item, updates it or leaves it unchanged', async () => {
    await desire(db(), [
      ['agenda', 'created', FULL],
      ['agenda', 'same', FULL],
      ['agenda', 'updated', FULL],
    ])
    await storeChanges(db(), 1, [
      { uniqueId: 'created', content: 'agenda', after: {}, state: 'applied' },
      { uniqueId: 'updated', content: 'agenda', before: {}, after: {}, state: 'applied' },
      { uniqueId: 'same', content: 'speakers', before: {}, after: {}, state: 'applied' },
    ])
    const updated = { uniqueId: 'same', content: 'agenda', before: {}, after: {}, state: 'applied' } as const
    await storeChanges(db(), 2, [updated])
    const actions = (await rows('agenda')).map(([id, action]) => [id, action])
    expect(actions).toEqual([
      ['created', 'create'],
      ['same', 'unchanged'],
      ['updated', 'update'],
    ])
  })

  test('the item file of an earlier run has the items of that run, even after later runs changed them', async () => {
    await desire(db(), [['speakers', '1', { firstName: 'Ada' }]])
    await db()
      .updateTable('sync.desired_items')
      .set({ valid_to_run: runId(3) })
      .execute()
    const now = { integration_id: INTEGRATION, content: 'speakers', unique_id: '1' } as const
    await db()
      .insertInto('sync.desired_items')
      .values({ ...now, fields: '{"firstName":"Augusta"}', valid_from_run: runId(3), valid_to_run: null })
      .execute()
    for (const [run, name] of [
      [1, 'Ada'],
      [2, 'Ada'],
      [3, 'Augusta'],
      [4, 'Augusta'],
    ] as const) {
      expect((await rows('speakers', run)).map((row) => row[2])).toEqual([name])
    }
    expect(await rows('speakers', 0)).toEqual([])
  })

  test('2,500 items are read in pages in byte order, and none is lost or repeated', async () => {
    const ids = Array.from({ length: 2500 }, (_, place) => `${place % 2 === 0 ? 'é' : 'Z'}${place}`)
    await desire(
      db(),
      ids.map((id): Item => ['attendees', id, { firstName: id }]),
    )
    await desire(db(), [['attendees', 'expo’s', {}]], 'expo')
    const inOrder = ids.map((id) => Buffer.from(id)).sort(Buffer.compare)
    expect((await rows('attendees')).map(([id]) => id)).toEqual(inOrder.map(String))
  })
})
