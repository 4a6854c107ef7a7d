import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { IncomingRow } from '../../loaders/staging/incoming.ts'
import type { StagingTables } from '../../transforms/declare/resource.ts'
import { engines } from '../support/engines.ts'
import { merged, ROOMS, readInto, record } from '../support/read.ts'
import { enterRun } from '../support/runs.ts'
import { BLANK, emptyTables, enterIntegration, INTEGRATION, insertStaged, runId } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'

const room = (id: string, name: string | null) => record(id, [name, null])
const tables = Object.keys(BLANK) as (keyof StagingTables)[]

/**
 * A change as readers of the history see it: the record, the kind of change, the changed columns, and the
 * name before and after the change.
 */
type Seen = readonly [string, string, readonly string[], string | null, string | null]

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  async function beginAgain(): Promise<void> {
    await emptyTables(database().kysely)
    for (const integration_id of [INTEGRATION, 'expo'])
      await enterIntegration(database().kysely, { integration_id })
  }
  beforeEach(beginAgain)

  async function query<Row>(text: string): Promise<readonly Row[]> {
    const { rows } = await sql.raw<Row>(text).execute(database().kysely)
    return rows
  }

  /** Makes a run that reads rooms and merges them into staging. */
  async function run(
    number: number,
    rows: readonly IncomingRow[],
    integrationId = INTEGRATION,
    complete = true,
  ) {
    await enterRun(database().kysely, number, { integrationId })
    const read = { integrationId, runId: runId(number) }
    await merged(database(), await readInto(database(), read, ROOMS, rows, complete))
  }

  async function asOf(number: number): Promise<readonly (readonly [string, string | null])[]> {
    const rows = await query<{ source_id: string; name: string | null }>(
      `select source_id, name from staging.a_rooms_as_of('${runId(number)}') order by source_id`,
    )
    return rows.map(({ source_id, name }) => [source_id, name])
  }

  async function between(from: number, to: number): Promise<readonly Seen[]> {
    const rows = await query<{
      source_id: string
      change: string
      changed_columns: readonly string[]
      was: string | null
      now: string | null
    }>(
      `select source_id, change, changed_columns, (before).name as was, (after).name as now
      from staging.a_rooms_between('${runId(from)}', '${runId(to)}') order by source_id`,
    )
    return rows.map((row) => [row.source_id, row.change, row.changed_columns, row.was, row.now])
  }

  /**
   * Returns faulty versions: versions of one record that overlap in time, and versions that end in the run in
   * which they began.
   */
  async function faultyVersions() {
    return query(`
      select one.source_id, one.valid_from_run, one.valid_to_run
      from staging.a_rooms as one
      join staging.a_rooms as other
        on other.integration_id = one.integration_id
        and other.source_id = one.source_id
        and other.valid_from_run < coalesce(one.valid_to_run, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and coalesce(other.valid_to_run, 'ffffffff-ffff-ffff-ffff-ffffffffffff') > one.valid_from_run
        and other.ctid <> one.ctid
      union all
      select source_id, valid_from_run, valid_to_run from staging.a_rooms where valid_to_run <= valid_from_run`)
  }

  test.each(tables)(
    'the history of %s returns the rows as of a run, and the changes between two runs',
    async (table) => {
      for (const number of [1, 2, 3]) await enterRun(database().kysely, number)
      await insertStaged(database().kysely, {
        [table]: [
          { source_id: 'kept' },
          { source_id: 'gone', valid_to_run: runId(2) },
          { source_id: 'new', valid_from_run: runId(3) },
        ],
      })
      const ids = async (number: number) =>
        (
          await query<{ source_id: string }>(
            `select * from ${table}_as_of('${runId(number)}') order by source_id`,
          )
        ).map(({ source_id }) => source_id)
      expect([await ids(1), await ids(2), await ids(3)]).toEqual([
        ['gone', 'kept'],
        ['kept'],
        ['kept', 'new'],
      ])
      expect(
        await query(`
        select integration_id, source_id, change, (before).source_id as was, (after).source_id as now
        from ${table}_between('${runId(1)}', '${runId(3)}') order by source_id`),
      ).toEqual([
        { integration_id: INTEGRATION, source_id: 'gone', change: 'removed', was: 'gone', now: null },
        { integration_id: INTEGRATION, source_id: 'new', change: 'added', was: null, now: 'new' },
      ])
    },
  )

  test('after any sequence of runs, the history returns the rows as of each run and the changes between any two runs', async () => {
    const id = fc.constantFrom('1', '2', 'é', '😀')
    const read = fc.record({
      records: fc.uniqueArray(fc.tuple(id, fc.constantFrom('a', 'b')), { selector: ([one]) => one }),
      complete: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(read, { minLength: 2, maxLength: 5 }), async (reads) => {
        await beginAgain()
        let now = new Map<string, string>()
        const states: ReadonlyMap<string, string>[] = []
        for (const [place, { records, complete }] of reads.entries()) {
          now = new Map([...(complete ? [] : now), ...records])
          states.push(now)
          // Between these runs, another integration with run ids of its own reads other records.
          await run(
            2 * place + 1,
            records.map(([source, name]) => room(source, name)),
            INTEGRATION,
            complete,
          )
          await run(2 * place + 2, [room('1', `${place}`)], 'expo')
        }
        expect(await faultyVersions()).toEqual([])
        for (const [from, before] of states.entries()) {
          expect(await asOf(2 * from + 1)).toEqual(inBytes([...before]))
          for (const [to, after] of states.entries()) {
            expect(await between(2 * from + 1, 2 * to + 1)).toEqual(to < from ? [] : changesOf(before, after))
          }
        }
      }),
      { numRuns: 12 },
    )
  })

  test('the history returns no rows for unknown runs, runs of two integrations, and runs in reverse order', async () => {
    await run(1, [room('1', 'Hall')])
    await run(2, [room('1', 'Yard'), room('2', 'Bar')], 'expo')
    await run(3, [room('1', 'Loft')])
    expect(await Promise.all([between(1, 2), between(3, 1), between(1, 9), asOf(9)])).toEqual([
      [],
      [],
      [],
      [],
    ])
    expect(await asOf(3)).toEqual([['1', 'Loft']])
  })

  test('the history has no rows as of a run that staged nothing, but has rows as of a run whose plan was held', async () => {
    await run(1, [room('1', 'Hall')])
    await enterRun(database().kysely, 2, { status: 'failed', plannedAt: null })
    await enterRun(database().kysely, 3, { status: 'held', appliedAt: null })
    expect([await asOf(2), await asOf(3)]).toEqual([[], [['1', 'Hall']]])
    expect(await query('select run_id, status from staging.runs order by run_id')).toEqual([
      { run_id: runId(1), status: 'finished' },
      { run_id: runId(3), status: 'held' },
    ])
  })

  test('a record with only a new hash is not reported; a change in no other column is reported as a change of doc', async () => {
    await enterRun(database().kysely, 1)
    await enterRun(database().kysely, 2)
    const versions = (source_id: string, doc: string) => [
      { source_id, valid_to_run: runId(2) },
      { source_id, valid_from_run: runId(2), version_hash: Buffer.alloc(32, 1), doc },
    ]
    await insertStaged(database().kysely, {
      'staging.a_rooms': [...versions('1', '{}'), ...versions('2', '{"Seats": 7}')],
    })
    expect(await between(1, 2)).toEqual([['2', 'changed', ['doc'], null, null]])
  })

  test('the database refuses a version that ends in the run in which it begins', async () => {
    for (const table of tables) {
      const empty = insertStaged(database().kysely, { [table]: [{ source_id: '1', valid_to_run: runId(1) }] })
      await expect(empty).rejects.toThrow(/_not_empty/)
    }
  })
})

const byBytes = ([one]: readonly [string, ...unknown[]], [other]: readonly [string, ...unknown[]]) =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

function inBytes(rows: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] {
  return rows.toSorted(byBytes)
}

function changesOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly Seen[] {
  const ids = new Set([...before.keys(), ...after.keys()])
  return [...ids]
    .filter((id) => before.get(id) !== after.get(id))
    .map((id): Seen => {
      const [was, now] = [before.get(id) ?? null, after.get(id) ?? null]
      const change = was === null ? 'added' : now === null ? 'removed' : 'changed'
      return [id, change, change === 'changed' ? ['doc', 'name'] : [], was, now]
    })
    .toSorted(byBytes)
}
