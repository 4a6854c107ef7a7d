import { beforeEach, describe, expect, test } from 'vitest'
import type { CsvCell } from '../../../loaders/audit/csv.ts'
import { itemColumns, itemRows } from '../../../loaders/audit/items.ts'
import { noMask } from '../../../loaders/audit/mask.ts'
import type { Content, Fields } from '../../../sql/tables.ts'
import { desire, type Item } from '../../support/desired.ts'
import { engines } from '../../support/engines.ts'
import { emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

test('columns are the unique ID, the action and the platform fields of the contract, in its order', () => {
  // Design 8 and 9.
  expect(itemColumns('agenda').join()).toBe(
    'unique_id,action,name,start_time,end_time,description,location,session_tracks,filter_group,sub_filters,speaker_ids,link_urls',
  )
  expect(itemColumns('speakers').join()).toBe(
    'unique_id,action,first_name,last_name,title,company,description,image_url,session_ids,attendee_id,facebook_url,linkedin_url,twitter',
  )
  expect(itemColumns('attendees').join()).toBe(
    'unique_id,action,first_name,last_name,email_address,title,company,biography,phone,personal_agenda',
  )
})

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  async function rows(content: Content, run = 1): Promise<readonly (readonly CsvCell[])[]> {
    const all: (readonly CsvCell[])[] = []
    const audited = { integrationId: INTEGRATION, runId: runId(run) }
    for await (const page of itemRows(db(), audited, content, noMask)) all.push(...page)
    return all
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

  test('every field stands in its column, a list joined, what is absent empty', async () => {
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
      ],
      ['small', 'unchanged', 'x', null, null, null, null, null, null, null, null, null],
    ])
  })

  test('the action is what this run does with the item', async () => {
    await desire(db(), [
      ['agenda', 'created', FULL],
      ['agenda', 'same', FULL],
      ['agenda', 'updated', FULL],
    ])
    const change = {
      integration_id: INTEGRATION,
      content: 'agenda',
      reason: '',
      before: null,
      after: null,
      change_hash: Buffer.alloc(32),
      state: 'applied',
    } as const
    await db()
      .insertInto('sync.changes')
      .values([
        { ...change, run_id: runId(1), seq: 1, unique_id: 'created', action: 'create' },
        { ...change, run_id: runId(1), seq: 2, unique_id: 'updated', action: 'update' },
        { ...change, run_id: runId(1), seq: 3, unique_id: 'same', action: 'update', content: 'speakers' },
        { ...change, run_id: runId(2), seq: 1, unique_id: 'same', action: 'update' },
        { ...change, run_id: runId(1), seq: 1, unique_id: 'same', action: 'update', integration_id: 'expo' },
      ])
      .execute()
    const actions = (await rows('agenda')).map(([id, action]) => [id, action])
    expect(actions).toEqual([
      ['created', 'create'],
      ['same', 'unchanged'],
      ['updated', 'update'],
    ])
  })

  test('a run of before is shown as it was', async () => {
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

  test('2,500 items come in pages, in the order of their bytes, without loss or repeat', async () => {
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
