import { beforeEach, describe, expect, test } from 'vitest'
import { CHANGE_COLUMNS, changedFields, changeRows } from '../../../loaders/audit/changes.ts'
import type { CsvCell } from '../../../loaders/audit/csv.ts'
import { noMask } from '../../../loaders/audit/mask.ts'
import type { ChangeState, Content, Fields } from '../../../sql/tables.ts'
import { engines } from '../../support/engines.ts'
import { emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

test('columns are those of the contract', () => {
  expect(CHANGE_COLUMNS.join()).toBe('content,unique_id,action,field,before,after')
})

test.each<[string, Fields, Fields, readonly string[]]>([
  ['nothing', { a: 'x', b: ['1', '2'] }, { b: ['1', '2'], a: 'x' }, []],
  ['another text', { a: 'x' }, { a: 'y' }, ['a']],
  ['another order of a list', { a: ['1', '2'] }, { a: ['2', '1'] }, ['a']],
  ['a field that came, and one that went', { a: 'x' }, { b: 'x' }, ['a', 'b']],
  ['several, in byte order', {}, { b: 'x', B: 'x', a: 'x' }, ['B', 'a', 'b']],
])('fields that differ: %s', (_, before, after, names) => {
  expect(changedFields(before, after)).toEqual(names)
})

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  interface Change {
    readonly unique_id: string
    readonly before: Fields | null
    readonly after: Fields | null
    readonly content?: Content
    readonly run?: number
    readonly state?: ChangeState
  }

  async function store(changes: readonly Change[]): Promise<void> {
    await db()
      .insertInto('sync.changes')
      .values(
        changes.map(
          ({ unique_id, before, after, content = 'speakers', run = 1, state = 'applied' }, place) => ({
            integration_id: INTEGRATION,
            run_id: runId(run),
            seq: place + 1,
            content,
            unique_id,
            action: after === null ? 'remove' : before === null ? 'create' : 'update',
            reason: '',
            before: before === null ? null : JSON.stringify(before),
            after: after === null ? null : JSON.stringify(after),
            change_hash: Buffer.alloc(32),
            state,
          }),
        ),
      )
      .execute()
  }

  async function rows(content: Content = 'speakers'): Promise<readonly (readonly CsvCell[])[]> {
    const all: (readonly CsvCell[])[] = []
    const audited = { integrationId: INTEGRATION, runId: runId(1) }
    for await (const page of changeRows(db(), audited, content, noMask)) all.push(...page)
    return all
  }

  test('each changed field is a row: every one of a created or removed item, the others of an updated one', async () => {
    await store([
      { unique_id: 'new', before: null, after: { lastName: 'Lovelace', firstName: 'Ada' } },
      {
        unique_id: 'other',
        before: { firstName: 'Ada', title: 'x', sessionIds: ['1'] },
        after: { firstName: 'Ada', company: 'y', sessionIds: ['1', '2;3'] },
      },
      { unique_id: 'gone', before: { firstName: 'Bob' }, after: null },
      { unique_id: 'elsewhere', before: null, after: { name: 'x' }, content: 'agenda' },
      { unique_id: 'held back', before: { firstName: 'Cy' }, after: null, state: 'withheld' },
      { unique_id: 'later', before: null, after: { firstName: 'x' }, run: 2 },
    ])
    expect(await rows()).toEqual([
      ['speakers', 'gone', 'remove', 'firstName', 'Bob', null],
      ['speakers', 'new', 'create', 'firstName', null, 'Ada'],
      ['speakers', 'new', 'create', 'lastName', null, 'Lovelace'],
      ['speakers', 'other', 'update', 'company', null, 'y'],
      ['speakers', 'other', 'update', 'sessionIds', '1', '1; 2\\;3'],
      ['speakers', 'other', 'update', 'title', 'x', null],
    ])
    expect(await rows('attendees')).toEqual([])
  })

  test('1,200 changes come in pages, in the order of their bytes, without loss or repeat', async () => {
    const ids = Array.from({ length: 1200 }, (_, place) => `${place % 2 === 0 ? '😀' : '～'}${place}`)
    await store(
      ids.map((unique_id) => ({ unique_id, before: null, after: { firstName: 'x', lastName: 'y' } })),
    )
    const inOrder = ids.map((id) => Buffer.from(id)).sort(Buffer.compare)
    expect((await rows()).map((row) => row[1])).toEqual(inOrder.flatMap((id) => [String(id), String(id)]))
  })
})
