/** Quotes an identifier. Names come from the code of the product, never from data. */
export const identifier = (name: string): string =>
  name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')

/** Makes a `COPY` of text rows into a table, from the connection or from PGlite's blob device. */
export function copyStatement(table: string, columns: readonly string[], from: 'stdin' | "'/dev/blob'") {
  return `copy ${identifier(table)} (${columns.map(identifier).join(', ')}) from ${from}`
}

/**
 * Makes a VACUUM that frees the space of deleted rows. `isFull` rewrites the table, so that no byte of them
 * is left.
 */
export const vacuum = (table: string, isFull: boolean): string =>
  `vacuum (${isFull ? 'full, ' : ''}analyze) ${identifier(table)}`

/**
 * First statements of a read-only transaction. Values have the same text with every configuration of the
 * server.
 */
export const readOnlySettings = `set transaction read only;
set local time zone 'UTC';
set local datestyle to 'ISO, MDY';
set local intervalstyle to 'postgres';
set local bytea_output to 'hex';
set local extra_float_digits to 1;`

/** SQLSTATE of the server for a write into a read-only database, and its meaning. */
export const READ_ONLY = '25006'
export const IS_READ_ONLY =
  'the database takes no writes: it is a standby, or default_transaction_read_only is on for it or its user; name the primary in `database`'
