import type { TableSum } from '../../loaders/ledger/moves.ts'
import type { Database } from '../../sql/database.ts'
import { rowsOf } from './read-only.ts'
import { identifier } from './sql-text.ts'

/** Schemas whose tables a move copies. */
export const MOVED_SCHEMAS: readonly string[] = ['staging', 'sync']

/** Schemas of the product that a move does not copy, each with the reason. */
export const UNMOVED_SCHEMAS: Readonly<Record<string, string>> = {
  migration: 'the new database makes its own, and both are of the same version',
  published: 'it has only views',
  incoming: 'records of readings that were interrupted; the next run reads in full',
  queue: '`event-sync schedule` makes the schedules again from the configuration',
}

/** Tables in the moved schemas that a move does not copy, each with the reason. */
export const UNMOVED_TABLES: Readonly<Record<string, string>> = {
  'sync.moves': 'each database has its own rows',
  'sync.moved_tables': 'each database has its own rows',
  'sync.readings': 'progress of readings whose records are in incoming',
}

/** A table, with the columns that store a value. Generated columns are left out. */
export interface MovedTable {
  readonly name: string
  readonly columns: readonly string[]
}

const tablesWithColumns = `
select format('%s.%s', nspname, relname), attname
from pg_class
join pg_namespace on pg_namespace.oid = relnamespace
join pg_attribute on attrelid = pg_class.oid
where relkind in ('r', 'p')
  and not relispartition
  and nspname in (${MOVED_SCHEMAS.map((schema) => `'${schema}'`).join(', ')})
  and attnum > 0
  and not attisdropped
  and attgenerated = ''
order by nspname collate "C", relname collate "C", attname collate "C"`

/**
 * Finds the tables to move in the catalog of the database. Therefore a move also copies tables that are added
 * later. Tables and columns are sorted by name, so that the order is the same in both databases.
 */
export async function findMovableTables(database: Database): Promise<readonly MovedTable[]> {
  const tables = new Map<string, string[]>()
  for await (const { rows } of database.readOnly(tablesWithColumns)) {
    for (const [name, column] of rows) {
      if (name === null || name === undefined || column === null || column === undefined) continue
      if (Object.hasOwn(UNMOVED_TABLES, name)) continue
      tables.set(name, [...(tables.get(name) ?? []), column])
    }
  }
  return Array.from(tables, ([name, columns]) => ({ name, columns }))
}

/** Returns the first of these tables that has a row; undefined if all these tables are empty. */
export async function findFilled(database: Database, tables: readonly MovedTable[]) {
  for (const table of tables) {
    const [[found] = []] = await rowsOf(
      database,
      `select exists (select from ${identifier(table.name)})::text`,
    )
    if (found === 'true') return table
  }
  return undefined
}

/**
 * Returns the number of rows of a table, and the sum of the hashes of its rows. The sum does not depend on
 * the order of the rows. The sum is the same on both engines, because each hash is computed from JSON text
 * that is written with the settings of `readOnly`.
 */
export async function sumOf(database: Database, { name, columns }: MovedTable): Promise<TableSum> {
  const [[rows, checksum] = []] = await rowsOf(
    database,
    `
select
  count(*)::text,
  coalesce(sum(('x' || encode(substr(sha256(convert_to(row_to_json(line)::text, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint), 0)::text
from (select ${columns.map(identifier).join(', ')} from ${identifier(name)}) as line`,
  )
  return { rows: Number(rows), checksum: checksum ?? '' }
}

/**
 * Copies all rows of a table with one COPY statement. If the statement fails, the new table stays empty. The
 * memory contains only one page of rows at a time.
 */
export async function copyTable(from: Database, to: Database, { name, columns }: MovedTable): Promise<void> {
  const sink = to.copyInto(name, columns)
  try {
    const all = `select ${columns.map(identifier).join(', ')} from ${identifier(name)}`
    for await (const { rows } of from.readOnly(all)) {
      for (const row of rows) await sink.write(row)
    }
    await sink.commit()
  } finally {
    await sink.close()
  }
}

const sequencesOf = (table: string): string => `
select format('%I.%I', nspname, relname)
from pg_depend
join pg_class on pg_class.oid = objid and relkind = 'S'
join pg_namespace on pg_namespace.oid = relnamespace
where refobjid = '${identifier(table)}'::regclass and deptype in ('a', 'i')
order by 1`

/**
 * Sets the sequences of a table to the numbers of the old database. Identity columns, for example, have a
 * sequence.
 */
export async function copySequences(from: Database, to: Database, { name }: MovedTable): Promise<void> {
  for (const [sequence = null] of await rowsOf(from, sequencesOf(name))) {
    const [[last, isCalled] = []] = await rowsOf(
      from,
      `select last_value::text, is_called::text from ${sequence}`,
    )
    await to.executeSql('select setval($1::text::regclass, $2::text::bigint, $3::text::boolean)', [
      sequence,
      last,
      isCalled,
    ])
  }
}
