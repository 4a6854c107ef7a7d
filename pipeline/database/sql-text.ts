/**
 * Quotes an identifier. Names come from the code of the product, never from data, so quoting them is safe.
 */
export const identifier = (name: string): string =>
  name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')

/**
 * Returns a `COPY` statement that loads text rows into a table. The rows come from the connection or from
 * PGlite's blob device (a file in memory).
 */
export function copyStatement(table: string, columns: readonly string[], from: 'stdin' | "'/dev/blob'") {
  return `copy ${identifier(table)} (${columns.map(identifier).join(', ')}) from ${from}`
}

/**
 * Returns a VACUUM statement, which frees the space of deleted rows. With `isFull` it rewrites the table, so
 * that no byte of a deleted row remains.
 */
export const vacuum = (table: string, isFull: boolean): string =>
  `vacuum (${isFull ? 'full, ' : ''}analyze) ${identifier(table)}`

/**
 * First statements of every read-only transaction. The statements make the server write values in one fixed
 * format, whatever its configuration is.
 */
export const readOnlySettings = `set transaction read only;
set local time zone 'UTC';
set local datestyle to 'ISO, MDY';
set local intervalstyle to 'postgres';
set local bytea_output to 'hex';
set local extra_float_digits to 1;`
