import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { RunReport } from '../../../pipeline/runtime/report.ts'
import type { Database } from '../../../sql/database.ts'

/**
 * The rows of an integration by table, as sorted JSON texts. Each run id is replaced by the number of the
 * run.
 */
export type Snapshot = Readonly<Record<string, readonly string[]>>

interface Column {
  readonly table: string
  readonly name: string
  /** True if the relation is a view: a view has no data of its own. */
  readonly isView: boolean
}

const columns = new WeakMap<Database, Promise<readonly Column[]>>()

/**
 * Returns the columns of all tables and published views that have an integration id. The remaining views only
 * report runs.
 */
function columnsOf(database: Database): Promise<readonly Column[]> {
  const known = columns.get(database)
  if (known !== undefined) return known
  const found = sql<Column>`
    select c.table_schema || '.' || c.table_name as "table", c.column_name as name,
      t.table_type = 'VIEW' as "isView"
    from information_schema.columns as c
    join information_schema.tables as t on t.table_schema = c.table_schema and t.table_name = c.table_name
    join information_schema.columns as k
      on k.table_schema = c.table_schema and k.table_name = c.table_name and k.column_name = 'integration_id'
    where c.table_schema in ('staging', 'sync', 'published')
      and (c.table_schema = 'published' or t.table_type <> 'VIEW')
    order by 1, c.ordinal_position`
    .execute(database.kysely)
    .then(({ rows }) => rows)
  columns.set(database, found)
  return found
}

async function tablesOf(database: Database): Promise<readonly string[]> {
  return [...new Set((await columnsOf(database)).map(({ table }) => table))]
}

const RUN_ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Reads all rows that the database has of an integration, including the rows of published views. */
export async function snapshotOf(database: Database, integrationId: string): Promise<Snapshot> {
  const tables = await tablesOf(database)
  const parts = tables.map(
    (table) => sql`
      select ${table}::text as name, (to_jsonb(t) - 'integration_id')::text as row
      from ${sql.table(table)} as t where integration_id = ${integrationId}`,
  )
  const { rows } = await sql<{ readonly name: string; readonly row: string }>`
    ${sql.join(parts, sql` union all `)}`.execute(database.kysely)
  const runs = rows
    .filter(({ name }) => name === 'sync.runs')
    .map(({ row }) => String(JSON.parse(row).run_id))
    .sort()
  const places = new Map(runs.map((run, place) => [run, `run ${place + 1}`] as const))
  const snapshot: Record<string, string[]> = Object.fromEntries(tables.map((table) => [table, []]))
  for (const { name, row } of rows) {
    snapshot[name]?.push(row.replaceAll(RUN_ID, (run) => places.get(run) ?? run))
  }
  for (const list of Object.values(snapshot)) list.sort()
  return snapshot
}

/**
 * Copies all rows of an integration to a new integration. With the copy, each fault occurs in an integration
 * that was synced before.
 */
export async function copyIntegration(database: Database, from: string, to: string): Promise<void> {
  const all = await columnsOf(database)
  await database.transaction(async (transaction) => {
    for (const table of await tablesOf(database)) {
      const own = all.filter((column) => column.table === table && !column.isView)
      if (own.length === 0) continue
      const names = own.map(({ name }) => name)
      const given = names.map((name) => (name === 'integration_id' ? sql`${to}::text` : sql.ref(name)))
      await sql`insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
        select ${sql.join(given)} from ${sql.table(table)} where integration_id = ${from}`.execute(
        transaction,
      )
    }
  })
}

/** Returns tables of incoming records that were left behind although no run uses them. */
export async function leftTables({ kysely }: Pick<Database, 'kysely'>): Promise<readonly string[]> {
  const tables = await kysely.introspection.getTables()
  return tables.filter(({ schema }) => schema === 'incoming').map(({ name }) => name)
}

/** Files of a pack that contain only data. Source: loaders/README.md#what-a-run-leaves. */
const DATA_FILES = [
  'operations.jsonl',
  'agenda.csv',
  'speakers.csv',
  'attendees.csv',
  'decisions.csv',
  'changes.csv',
  'certificates.csv',
  'reconciliation.csv',
  'load_results.csv',
]

/** Returns the files of a run's pack whose content must be equal for two runs with the same result. */
export function packOf(report: RunReport): Readonly<Record<string, string>> {
  const { output } = report
  if (output === null) return {}
  return Object.fromEntries(
    DATA_FILES.map((file) => {
      const text = readFileSync(join(output, file), 'utf8')
      return [file, file.endsWith('.jsonl') ? text.split('\n').slice(1, -2).join('\n') : text]
    }),
  )
}
