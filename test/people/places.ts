import { sql } from 'kysely'
import type { Place } from '../../loaders/people/erasure.ts'
import { PLACES, stagedPlaces } from '../../loaders/people/personal-data-places.ts'
import type { Db } from '../../sql/tables.ts'
import { TRANSFORMS } from '../../transforms/decide/platform-fields.ts'

/**
 * Every place of personal data (a table with its personal columns) in a database with the built-in sources.
 */
export const places: readonly Place[] = [...Object.values(TRANSFORMS).flatMap(stagedPlaces), ...PLACES]

/**
 * Returns the personal columns of a table. For some of these columns, an entry states why `forget` does not
 * erase them.
 */
export function columnsOf({ forget }: Place): readonly string[] {
  return 'why' in forget ? forget.columns : [...new Set(forget.flatMap(({ columns }) => columns))]
}

export interface StoredColumn {
  readonly table: string
  readonly column: string
  readonly type: string
}

/** Returns every column of every table of the database; the system schemas are left out. */
export async function readColumns(db: Db): Promise<readonly StoredColumn[]> {
  const { rows } = await sql<StoredColumn>`
    select table_schema || '.' || table_name as table, column_name as column, data_type as type
    from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_type = 'BASE TABLE' and table_schema <> 'information_schema' and table_schema not like 'pg\\_%'
    order by table_schema, table_name, ordinal_position`.execute(db)
  return rows
}
