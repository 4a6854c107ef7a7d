import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { IncomingRow } from '../../../loaders/staging/incoming.ts'
import { closeFormerSources, IncomingLostError, mergeResource } from '../../../loaders/staging/merge.ts'
import { engines } from '../../support/engines.ts'
import { fault, known, merged, ROOMS, readInto, record, type TestResource } from '../../support/read.ts'
import { BLANK, emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const room = (id: string, name: string | null, location: string | null = null) => record(id, [name, location])

const USERS: TestResource = { table: 'staging.a_users', columns: Object.keys(BLANK['staging.a_users']) }

/** Makes a user; the source id of a user without an id is the e-mail address. */
function user(sourceId: string, id: string | null): IncomingRow {
  const values = { ...BLANK['staging.a_users'], id }
  return record(
    sourceId,
    Object.values(values).map((value) => value ?? null),
  )
}

/** A version: id, name, first run with it, first run without it. */
type Version = readonly [string, string | null, number, number | null]

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  beforeEach(() => emptyTables(database().kysely))

  /** Reads rooms in a run and merges them. */
  async function run(
    number: number,
    records: readonly IncomingRow[],
    complete = true,
    integrationId = INTEGRATION,
  ) {
    const read = { integrationId, runId: runId(number) }
    return merged(database(), await readInto(database(), read, ROOMS, records, complete))
  }

  async function history(integrationId = INTEGRATION): Promise<readonly Version[]> {
    const rows = await database()
      .kysely.selectFrom('staging.a_rooms')
      .where('integration_id', '=', integrationId)
      .orderBy('source_id')
      .orderBy('valid_from_run')
      .select(['source_id', 'name', 'valid_from_run', 'valid_to_run'])
      .execute()
    return rows.map((row) => [
      row.source_id,
      row.name,
      Number(row.valid_from_run.slice(-12)),
      row.valid_to_run === null ? null : Number(row.valid_to_run.slice(-12)),
    ])
  }

  async function rejected() {
    return database()
      .kysely.selectFrom('sync.unstaged')
      .orderBy('run_id')
      .orderBy('ordinal')
      .select([
        'resource',
        sql<number>`ordinal::int`.as('ordinal'),
        'source_id',
        'id',
        'reason',
        'path',
        'detail',
      ])
      .execute()
  }

  /**
   * Returns the transactions that wrote the rows of the table: if they are the same, no row was written
   * again.
   */
  async function writtenBy() {
    const { rows } = await sql`select xmin::text, ctid::text from staging.a_rooms order by ctid`.execute(
      database().kysely,
    )
    return rows
  }

  describe('history', () => {
    test('a first run makes every record current, unchanged', async () => {
      expect(await run(1, [record('1', ['Hall', 'North'], ['not_text:name']), room('2', null)])).toBe(2)
      expect(await history()).toEqual([
        ['1', 'Hall', 1, null],
        ['2', null, 1, null],
      ])
      const [row] = await database()
        .kysely.selectFrom('staging.a_rooms')
        .selectAll()
        .orderBy('source_id')
        .execute()
      expect(row).toMatchObject({
        location: 'North',
        marks: ['not_text:name'],
        doc: { sourceId: '1', values: ['Hall', 'North'] },
      })
      expect(Buffer.from(row?.version_hash ?? []).toString('hex')).toBe(
        record('1', ['Hall', 'North']).versionHash,
      )
    })

    test('an unchanged record costs no write', async () => {
      const records = [room('1', 'Hall'), room('2', 'Attic')]
      await run(1, records)
      const before = await writtenBy()
      expect(await run(2, records.toReversed())).toBe(2)
      expect(await writtenBy()).toEqual(before)
      expect(before.length).toBe(2)
    })

    test('a known record costs no write, even if other records changed, are new or are gone', async () => {
      await run(1, [room('1', 'Hall'), room('2', 'Attic'), room('3', 'Yard'), room('4', 'Bar')])
      await run(2, [known(room('1', 'Hall')), room('2', 'Loft'), room('5', 'Nave'), known(room('4', 'Bar'))])
      expect(await history()).toEqual([
        ['1', 'Hall', 1, null],
        ['2', 'Attic', 1, 2],
        ['2', 'Loft', 2, null],
        ['3', 'Yard', 1, 2],
        ['4', 'Bar', 1, null],
        ['5', 'Nave', 2, null],
      ])
    })

    test('if a known record and another one have the same id, the last counts', async () => {
      await run(1, [room('1', 'Hall'), room('2', 'Attic')])
      await run(2, [room('1', 'Loft'), known(room('1', 'Hall')), known(room('2', 'Attic')), room('2', 'Den')])
      expect(await history()).toEqual([
        ['1', 'Hall', 1, null],
        ['2', 'Attic', 1, 2],
        ['2', 'Den', 2, null],
      ])
      expect((await rejected()).map(({ ordinal, source_id }) => [ordinal, source_id])).toEqual([
        [1, '1'],
        [3, '2'],
      ])
    })

    test('a changed record closes its version and opens one', async () => {
      await run(1, [room('1', 'Hall'), room('2', 'Attic')])
      await run(2, [room('1', 'Great hall'), room('2', 'Attic')])
      expect(await history()).toEqual([
        ['1', 'Hall', 1, 2],
        ['1', 'Great hall', 2, null],
        ['2', 'Attic', 1, null],
      ])
    })

    test('after an incomplete read, unseen records stay, and seen records count', async () => {
      await run(1, [room('1', 'Hall'), room('2', 'Attic'), room('3', 'Yard')])
      await run(2, [room('2', 'Loft'), room('3', 'Yard'), room('4', 'Bar')], false)
      expect(await history()).toEqual([
        ['1', 'Hall', 1, null],
        ['2', 'Attic', 1, 2],
        ['2', 'Loft', 2, null],
        ['3', 'Yard', 1, null],
        ['4', 'Bar', 2, null],
      ])
    })
  })

  describe('records without a row in staging', () => {
    test('if several records have one id, the last counts and the others are rejected', async () => {
      const records = [room('1', 'a'), room('2', 'x'), room('1', 'b'), room('1', 'c'), room('3', 'y')]
      expect(await run(1, records)).toBe(3)
      expect(await history()).toEqual([
        ['1', 'c', 1, null],
        ['2', 'x', 1, null],
        ['3', 'y', 1, null],
      ])
      const repeated = {
        resource: 'rooms',
        source_id: '1',
        id: '1',
        reason: 'duplicate_id',
        path: '',
        detail: '',
      }
      expect(await rejected()).toEqual([
        { ...repeated, ordinal: 1 },
        { ...repeated, ordinal: 3 },
      ])
    })

    test('a repeated record whose last copy is unchanged is not a change', async () => {
      await run(1, [room('1', 'a')])
      const before = await writtenBy()
      await run(2, [room('1', 'b'), room('1', 'a')])
      expect(await writtenBy()).toEqual(before)
    })

    test('a quarantined record is rejected with the place of its fault', async () => {
      const records = [fault('$.Id', 'no id'), room('1', 'a'), fault('$', 'not an object')]
      expect(await run(1, records, false)).toBe(1)
      expect(await history()).toEqual([['1', 'a', 1, null]])
      const quarantined = { resource: 'rooms', source_id: null, id: null, reason: 'invalid_record' }
      expect(await rejected()).toEqual([
        { ...quarantined, ordinal: 1, path: '$.Id', detail: 'no id' },
        { ...quarantined, ordinal: 3, path: '$', detail: 'not an object' },
      ])
    })

    test('if a known record comes twice, the last counts, and a user keeps its id', async () => {
      const records = [user('7', '7'), user('ada@example.org', null), user('8', '8')]
      const first = { integrationId: INTEGRATION, runId: runId(1) }
      await merged(database(), await readInto(database(), first, USERS, records))
      const twice = [...records, ...records.slice(0, 2)].map(known)
      const again = await readInto(database(), { ...first, runId: runId(2) }, USERS, twice)
      const { distinct, written } = await database().transaction((transaction) =>
        mergeResource(transaction, again),
      )
      expect({ distinct, written }).toEqual({ distinct: 3, written: 0n })
      const rows = (await rejected()).map(({ ordinal, source_id, id, reason }) => [
        ordinal,
        source_id,
        id,
        reason,
      ])
      expect(rows).toEqual([
        [1, '7', '7', 'duplicate_id'],
        [2, 'ada@example.org', null, 'duplicate_id'],
      ])
    })

    test('a repeated user keeps the id of the source, or stays without one', async () => {
      const records = [
        user('7', '7'),
        user('ada@example.org', null),
        user('7', '7'),
        user('ada@example.org', null),
      ]
      const read = { integrationId: INTEGRATION, runId: runId(1) }
      expect(await merged(database(), await readInto(database(), read, USERS, records))).toBe(2)
      const rows = (await rejected()).map(({ ordinal, source_id, id }) => [ordinal, source_id, id])
      expect(rows).toEqual([
        [1, '7', '7'],
        [2, 'ada@example.org', null],
      ])
    })
  })

  describe('the records that were read are compared with those that arrived', () => {
    async function readTwo() {
      await run(1, [room('1', 'Hall')])
      const read = { integrationId: INTEGRATION, runId: runId(2) }
      return readInto(database(), read, ROOMS, [room('1', 'Loft'), room('2', 'Attic')])
    }

    test.each([
      ['a row is missing', 'delete from $ where ordinal = 2'],
      ['the table is empty, as after a crash', 'truncate $'],
      ['a row is there twice', 'insert into $ select * from $ where ordinal = 1'],
      ['a row is another', 'update $ set row_check = row_check + 1 where ordinal = 1'],
    ])('%s: nothing is merged', async (_, damage) => {
      const merge = await readTwo()
      const table = merge.incoming.split('.').map((name) => `"${name}"`)
      await database().script(damage.replaceAll('$', table.join('.')))
      const work = merged(database(), merge)
      await expect(work).rejects.toBeInstanceOf(IncomingLostError)
      await expect(work).rejects.toThrow(
        /^rooms: 2 records were read, but the database does not hold all of them; `event-sync run --fresh-read` reads/,
      )
      expect(await history()).toEqual([['1', 'Hall', 1, null]])
      expect(await rejected()).toEqual([])
    })

    test.each([
      ['it was erased in between', room('1', 'Hall'), "version_hash = sha256('token'), doc = '{}'"],
      ['it has another id by now', room('1', 'Hall'), "source_id = 'token'"],
      ['it is no longer current', room('1', 'Hall'), `valid_to_run = '${runId(2)}'`],
      ['it is of another integration', room('1', 'Hall'), "integration_id = 'expo'"],
      ['nothing was like it', room('1', 'Loft'), 'name = name'],
      ['it is that of another record', { ...room('2', 'Hall'), sourceId: '1' }, 'name = name'],
    ])(
      'a record without a document, whose version was known, and %s: nothing is merged',
      async (_, row, change) => {
        await run(1, [room('1', 'Hall'), room('2', 'Hall')])
        const read = { integrationId: INTEGRATION, runId: runId(3) }
        const merge = await readInto(database(), read, ROOMS, [room('3', 'Loft'), known(row)])
        await database().script(`update staging.a_rooms set ${change} where source_id = '1'`)
        const before = await writtenBy()
        await expect(merged(database(), merge)).rejects.toBeInstanceOf(IncomingLostError)
        expect(await writtenBy()).toEqual(before)
        expect(await rejected()).toEqual([])
      },
    )

    test('the incoming table is dropped after its records are merged', async () => {
      const merge = await readTwo()
      await merged(database(), merge)
      const { rows } = await sql`select to_regclass(${merge.incoming}) as table`.execute(database().kysely)
      expect(rows).toEqual([{ table: null }])
    })
  })

  test('current records of a former source are closed, only for its integration', async () => {
    await run(1, [room('r1', 'Hall'), room('r2', 'Attic')])
    await run(2, [room('r1', 'Hall')])
    await run(2, [room('r1', 'Hall')], true, 'expo')
    const close = () =>
      database().transaction((transaction) =>
        closeFormerSources(transaction, { integrationId: INTEGRATION, runId: runId(3) }, ['staging.a_rooms']),
      )
    expect([await close(), await close()]).toEqual([1n, 0n])
    expect(await history()).toEqual([
      ['r1', 'Hall', 1, 3],
      ['r2', 'Attic', 1, 2],
    ])
    expect(await history('expo')).toEqual([['r1', 'Hall', 2, null]])
  })
})
