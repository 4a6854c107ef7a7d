import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkRows, findChecks, selectCheckRows } from '../../pipeline/run/sql-checks.ts'
import { engines } from '../support/engines.ts'
import { emptyTables, INTEGRATION, runId } from '../support/staged.ts'
import { takenBack, useDatabase } from '../support/use-database.ts'

/** Number of runs, in each of which every record gets a new version, and number of records. */
const RUNS = 50
const RECORDS = 100
/** The run that the check examines, and the number of records that this run changed. */
const LAST = runId(RUNS)
const CHANGED = 3

const query =
  findChecks('before-apply').find(({ name }) => name.endsWith('/versions-do-not-overlap'))?.query ?? ''
const run = { integrationId: INTEGRATION, runId: LAST }
const PREFIX = runId(0).slice(0, -12)

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)

  beforeAll(async () => {
    const db = database().kysely
    await emptyTables(db)
    const idOf = (run: string) => sql.raw(`('${PREFIX}' || lpad((${run})::text, 12, '0'))::uuid`)
    await sql`
      insert into sync.runs (integration_id, run_id, command, status, started_at, product_version, started_by, config_hash, contents, base)
      select ${INTEGRATION}, ${idOf('run')}, 'run', 'finished', now(), '', '', '', '{}', 0
      from generate_series(1, ${sql.lit(RUNS)}) as run`.execute(db)
    const versions = sql`
      select record, ${idOf('run')} as from_run, case when run < last then ${idOf('run + 1')} end as to_run
      from generate_series(1, ${sql.lit(RECORDS)}) as record
      cross join lateral (select case when record <= ${sql.lit(CHANGED)} then ${sql.lit(RUNS)} else ${sql.lit(RUNS - 1)} end) as ends (last)
      cross join lateral generate_series(1, last) as run`
    await sql`
      insert into staging.a_rooms (integration_id, source_id, marks, doc, version_hash, valid_from_run, valid_to_run)
      select ${INTEGRATION}, record::text, '{}', '{}', '', from_run, to_run from (${versions}) as version`.execute(
      db,
    )
    await sql`
      insert into sync.decisions (integration_id, content, resource, source_id, unique_id, decision, reason, detail, valid_from_run, valid_to_run)
      select ${INTEGRATION}, 'agenda', 'rooms', record::text, record::text, 'synced', '', '', from_run, to_run from (${versions}) as version`.execute(
      db,
    )
    await sql`
      insert into sync.desired_items (integration_id, content, unique_id, fields, valid_from_run, valid_to_run)
      select ${INTEGRATION}, 'agenda', record::text, '{}', from_run, to_run from (${versions}) as version`.execute(
      db,
    )
    await sql`analyze`.execute(db)
  })

  test('the check reads only what the run wrote, not the history of all runs', async () => {
    const { rows } = await sql<{ 'QUERY PLAN': readonly { readonly Plan: Node }[] }>`
      explain (analyze, format json) ${checkRows(query, run)}`.execute(database().kysely)
    const read = rows[0]?.['QUERY PLAN'].reduce((sum, { Plan }) => sum + rowsRead(Plan), 0)
    // The limit allows all versions of each changed record in the three tables, and a few rows more.
    expect(read).toBeLessThan(4 * CHANGED * RUNS + 3 * CHANGED)
    expect(await selectCheckRows(database().kysely, query, run, 5)).toEqual({ rows: [], count: 0 })
  })

  test.each([
    ['staging.a_rooms', 'source_id', 'valid beside an earlier version'],
    ['sync.decisions', 'source_id', 'decision valid beside an earlier one'],
    ['sync.desired_items', 'unique_id', 'desired item valid beside an earlier version'],
  ])(
    'the check finds a version in %s that the run wrote although an earlier version is still valid',
    async (table, id, detail) => {
      const found = await takenBack(database(), async (transaction) => {
        await sql`
        update ${sql.table(table)} set valid_to_run = ${runId(RUNS + 1)}::uuid
        where ${sql.ref(id)} = '2' and valid_from_run = ${runId(7)}::uuid`.execute(transaction)
        return selectCheckRows(transaction, query, run, 5)
      })
      expect(found).toMatchObject({ count: 1, rows: [{ id: '2', detail }] })
    },
  )
})

interface Node {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Node[]
}

/** Returns how many rows a query plan has read, including rows that it discarded. */
function rowsRead(node: Node): number {
  const { Plans = [], 'Actual Loops': loops } = node
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const own = node['Node Type'].endsWith('Scan') ? (node['Actual Rows'] + removed) * loops : 0
  return Plans.reduce((sum, part) => sum + rowsRead(part), own)
}
