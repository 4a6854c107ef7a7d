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

/** Makes a user. If the user has no id, its source id is the e-mail address. */
function user(sourceId: string, id: string | null): IncomingRow {
  const values = { ...BLANK['staging.a_users'], id }
  return record(
    sourceId,
    Object.values(values).map((value) => value ?? null),
  )
}

/**
 * A version of a room: its id, its name, the first run that has it, and the first run that no longer has it.
 */
type Version = readonly [string, string | null, number, number | null]

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  beforeEach(() => emptyTables(database().kysely))

  /** Reads rooms in a run, and merges them into the staged table. */
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
   * Returns the transactions that wrote the rows of the table. If the same transactions are returned later,
   * no row was written again.
   */
  async function writtenBy() {
    const { rows } = await sql`select xmin::text, ctid::text from staging.a_rooms order by ctid`.execute(
      database().kysely,
    )
    return rows
  }

  describe('history', () => {
    test('after a first run every record is a current version, and its values are unchanged', async () => {
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

    test('an unchanged record is not written again', async () => {
      const records = [room('1', 'Hall'), room('2', 'Attic')]
      await run(1, records)
      const before = await writtenBy()
      expect(await run(2, records.toReversed())).toBe(2)
      expect(await writtenBy()).toEqual(before)
      expect(before.length).toBe(2)
    })

    test('a known record is not written again, even if other records were changed, added or removed', async () => {
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

    test('if a known record and another record have the same id, the last record is used', async () => {
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

    test('a changed record ends its current version and starts a new version', async () => {
      await run(1, [room('1', 'Hall'), room('2', 'Attic')])
      await run(2, [room('1', 'Great hall'), room('2', 'Attic')])
      expect(await history()).toEqual([
        ['1', 'Hall', 1, 2],
        ['1', 'Great hall', 2, null],
        ['2', 'Attic', 1, null],
      ])
    })

    test('after an incomplete read, records that were not seen stay current, and records that were seen are merged', async () => {
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
    test('if several records have the same id, the last is used and the others are rejected', async () => {
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

    test('if a record is repeated and its last copy is unchanged, no change is written', async () => {
      await run(1, [room('1', 'a')])
      const before = await writtenBy()
      await run(2, [room('1', 'b'), room('1', 'a')])
      expect(await writtenBy()).toEqual(before)
    })

    test('a quarantined record is rejected, with the path of its fault', async () => {
      const records = [fault('$.Id', 'no id'), room('1', 'a'), fault('$', 'not an object')]
      expect(await run(1, records, false)).toBe(1)
      expect(await history()).toEqual([['1', 'a', 1, null]])
      const quarantined = { resource: 'rooms', source_id: null, id: null, reason: 'invalid_record' }
      expect(await rejected()).toEqual([
        { ...quarantined, ordinal: 1, path: '$.Id', detail: 'no id' },
        { ...quarantined, ordinal: 3, path: '$', detail: 'not an object' },
      ])
    })

    test('if a known record comes twice, the last is used, and a rejected user keeps its id', async () => {
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

    test('a rejected user that is repeated has the id that the source gave, or no id', async () => {
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
    ])('nothing is merged if %s', async (_, damage) => {
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
      'nothing is merged if a record comes without its document, its version was known, and %s',
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

  test('the current records of a former source are closed, but only for the integration that changed its source', async () => {
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
