import { STAGED_COLUMNS } from '../../transforms/decide/staging-sql.ts'

/**
 * Finds names of columns that the tables of a source cannot have. The names are written into SQL without
 * quotation marks, also by analysts.
 *
 * @returns each name with its mistake
 */
export function mistakesInColumns(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const mistake = mistakeIn(name)
    return mistake === null ? [] : [`columns.${name}: ${mistake}`]
  })
}

function mistakeIn(name: string): string | null {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name))
    return 'the name of a column must be 1 to 40 of a-z, 0-9 and _, and begin with a letter'
  if (RESERVED_IN_SQL.has(name)) return `SQL reserves the word ${name}; give the column another name`
  if (OF_PRODUCT.has(name)) return `the product itself has a column ${name}; give yours another name`
  return null
}

/** Columns of the tables in schema `staging`, of incoming tables, and of queries that make decisions. */
const OF_PRODUCT: ReadonlySet<string> = new Set([
  ...STAGED_COLUMNS,
  ...['ordinal', 'row_check', 'fault_path', 'fault', 'changed_at', 'id', 'unique_id', 'reason'],
])

/** Words that no column can have as its name without quotation marks, and the columns of PostgreSQL itself. */
const RESERVED_IN_SQL: ReadonlySet<string> = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation
  column concurrently constraint create cross current_catalog current_date current_role current_schema current_time
  current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze
  from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like
  limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary
  references returning right select session_user similar some symmetric system_user table tablesample then to
  trailing true union unique user using variadic verbose when where window with
  cmax cmin ctid tableoid xmax xmin`.split(/\s+/),
)
