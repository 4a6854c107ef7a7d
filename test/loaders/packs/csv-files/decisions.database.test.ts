import { beforeEach, describe, expect, test } from 'vitest'
import { type CsvCell, noMask } from '../../../../loaders/packs/csv-files/csv.ts'
import { decisionsFile } from '../../../../loaders/packs/csv-files/pack-files.ts'
import type { Content, RejectionReason } from '../../../../sql/tables.ts'
import { decideOn } from '../../../support/desired.ts'
import { engines } from '../../../support/engines.ts'
import { storeChanges } from '../../../support/runs.ts'
import { emptyTables, INTEGRATION, runId } from '../../../support/staged.ts'
import { useDatabase } from '../../../support/use-database.ts'

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  /** Stores rejected records. Each record is given by its ordinal, source id, id and reason. */
  async function reject(
    records: readonly (readonly [number, string | null, string | null, RejectionReason])[],
    { resource = 'registrants', run = 1, integrationId = INTEGRATION } = {},
  ): Promise<void> {
    await db()
      .insertInto('sync.unstaged')
      .values(
        records.map(([ordinal, source_id, id, reason]) => ({
          integration_id: integrationId,
          run_id: runId(run),
          resource,
          ordinal,
          source_id,
          id,
          reason,
          path: reason === 'invalid_record' ? '$.id' : '',
          detail: reason === 'invalid_record' ? 'no id' : '',
        })),
      )
      .execute()
  }

  async function rows(
    content: Content = 'attendees',
    resource = 'registrants',
    run = 1,
  ): Promise<readonly (readonly CsvCell[])[]> {
    const audited = { integrationId: INTEGRATION, runId: runId(run) }
    const source = {
      db: db(),
      run: audited,
      resourceOf: new Map([[content, resource]]),
      timeZone: null,
      mask: noMask,
    }
    return (await Array.fromAsync(decisionsFile.pages(source))).flat()
  }

  test('decisions.csv has a row for every record: synced, excluded, repeated or quarantined [R64]', async () => {
    await decideOn(db(), [
      ['attendees', 'b', null, 'not_synced:personalAgenda=2'],
      ['attendees', 'a', 'cancelled', 'not_text:phone'],
      ['attendees', 'c', null],
      ['attendees', 'd', null],
      ['attendees', 'e', 'missing_required:firstName'],
      ['speakers', 'b', 'not_a_speaker'],
    ])
    const state = 'applied'
    await storeChanges(db(), 1, [
      { uniqueId: 'a', before: {}, state },
      { uniqueId: 'b', after: {}, state },
      { uniqueId: 'c', before: {}, after: {}, state },
      { uniqueId: 'e', before: {}, state: 'withheld' },
    ])
    await reject([
      [1, 'b', 'b', 'duplicate_id'],
      [2, null, null, 'invalid_record'],
      [5, 'b', 'b', 'duplicate_id'],
      [9, null, null, 'invalid_record'],
    ])
    const quarantined = [null, null, 'quarantined', 'invalid_record', null, null]
    const repeated = ['b', 'b', 'excluded', 'duplicate_id', null, null]
    expect(await rows()).toEqual(
      [
        quarantined,
        quarantined,
        ['a', 'a', 'excluded', 'cancelled', 'remove', 'not_text:phone'],
        repeated,
        repeated,
        // If several records have the same id, only the last is used.
        ['b', 'b', 'synced', null, 'create', 'not_synced:personalAgenda=2'],
        ['c', 'c', 'synced', null, 'update', null],
        ['d', 'd', 'synced', null, 'unchanged', null],
        ['e', 'e', 'excluded', 'missing_required:firstName', null, null],
      ].map((row) => ['attendees', 'registrants', ...row]),
    )
    expect((await rows('speakers')).map((row) => row.slice(2, 6))).toEqual([
      [null, null, 'quarantined', 'invalid_record'],
      [null, null, 'quarantined', 'invalid_record'],
      ['b', 'b', 'excluded', 'duplicate_id'],
      ['b', 'b', 'excluded', 'duplicate_id'],
      ['b', 'b', 'excluded', 'not_a_speaker'],
    ])
  })

  test('a repeated user without an id has its e-mail address as unique ID among attendees, and no unique ID among speakers', async () => {
    await reject(
      [
        [1, 'ada@example.org', null, 'duplicate_id'],
        [2, '7', '7', 'duplicate_id'],
      ],
      { resource: 'users' },
    )
    const uniqueIds = async (content: Content) =>
      (await rows(content, 'users')).map((row) => [row[2], row[3]])
    expect(await uniqueIds('attendees')).toEqual([
      ['7', '7'],
      ['ada@example.org', 'ada@example.org'],
    ])
    expect(await uniqueIds('speakers')).toEqual([
      ['7', '7'],
      ['ada@example.org', null],
    ])
  })

  test('decisions.csv contains no records of other runs, resources, contents or integrations', async () => {
    await decideOn(db(), [['attendees', 'expo’s', null]], 'expo')
    await decideOn(db(), [['agenda', 'a session', null]])
    await reject([[1, 'x', 'x', 'duplicate_id']], { run: 2 })
    await reject([[1, 'x', 'x', 'duplicate_id']], { resource: 'sessions' })
    await reject([[1, 'x', 'x', 'duplicate_id']], { integrationId: 'expo' })
    expect(await rows()).toEqual([])
    expect((await rows('agenda', 'sessions')).map((row) => row[2])).toEqual(['a session', 'x'])
  })

  test('decisions.csv of an earlier run has the decisions of that run, even after later runs changed them', async () => {
    await decideOn(db(), [['attendees', '1', null]])
    await db()
      .updateTable('sync.decisions')
      .set({ valid_to_run: runId(3) })
      .execute()
    const reasons = async (run: number) => (await rows('attendees', 'registrants', run)).map((row) => row[4])
    expect([await reasons(1), await reasons(2), await reasons(3)]).toEqual([['synced'], ['synced'], []])
  })

  test('no row of decisions.csv is lost or repeated, even if repeated ids are at the border of two pages [R48]', async () => {
    // Every 90th id is repeated up to 30 times, so that each page of 1,000 rows begins and ends near repeated
    // ids.
    const ids = Array.from({ length: 2400 }, (_, place) => `${[...'Zaé～😀'][place % 5]}${place}`)
    await decideOn(
      db(),
      ids.map((id) => ['attendees', id, id.endsWith('7') ? 'cancelled' : null] as const),
    )
    const repeated = ids.filter((_, place) => place % 90 === 0)
    const aside = repeated.flatMap((id, place) =>
      Array.from({ length: 1 + (place % 30) }, (_, count) => [count * 100 + place + 1, id] as const),
    )
    const without = Array.from({ length: 1100 }, (_, place) => [100_000 + place, null] as const)
    await reject([
      ...aside.map(([ordinal, id]) => [ordinal, id, id, 'duplicate_id'] as const),
      ...without.map(([ordinal]) => [ordinal, null, null, 'invalid_record'] as const),
    ])
    const model = [
      ...aside.map(([ordinal, id]) => ({ id, ordinal, decision: 'duplicate_id' })),
      ...without.map(([ordinal]) => ({ id: '', ordinal, decision: 'invalid_record' })),
      ...ids.map((id) => ({
        id,
        ordinal: Number.POSITIVE_INFINITY,
        decision: id.endsWith('7') ? 'cancelled' : null,
      })),
    ].sort((one, other) => {
      return Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)) || one.ordinal - other.ordinal
    })
    const found = await rows()
    expect(found.map((row) => [row[2] ?? '', row[5]])).toEqual(
      model.map(({ id, decision }) => [id, decision]),
    )
    expect(found.length).toBeGreaterThan(3500)
  })
})
