/** Names come from the product's own code, never from data. */
export const identifier = (name: string): string =>
  name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')

/** `COPY` of text rows into a table, from the connection or from PGlite's blob device. */
export function copyStatement(table: string, columns: readonly string[], from: 'stdin' | "'/dev/blob'") {
  return `copy ${identifier(table)} (${columns.map(identifier).join(', ')}) from ${from}`
}

/** Makes the room of erased rows free for others; `full` rebuilds the table, and leaves nothing of them. */
export const vacuum = (table: string, isFull: boolean): string =>
  `vacuum (${isFull ? 'full, ' : ''}analyze) ${identifier(table)}`

/** First statements of a transaction that cannot write; values print the same with all settings of the server. */
export const readOnlySettings = `set transaction read only;
set local time zone 'UTC';
set local datestyle to 'ISO, MDY';
set local intervalstyle to 'postgres';
set local bytea_output to 'hex';
set local extra_float_digits to 1;`

/** The server's codes for a write into a database that takes none, with their meaning. */
export const READ_ONLY = '25006'
export const IS_READ_ONLY =
  'the database takes no writes: it is a standby, or default_transaction_read_only is on for it or its user; name the primary in `database`'
