import { type Expression, type SqlBool, sql } from 'kysely'
import { addressForms } from './addresses.ts'

/**
 * Makes the SQL condition that a column has one of the given e-mail addresses, in any form of the address.
 */
export function isOneOfAddresses(column: Expression<unknown>, addresses: readonly string[]) {
  const forms = addresses.flatMap(addressForms)
  // The database converts both sides to lower case, because its lower case differs from JavaScript's for some
  // letters.
  return sql<SqlBool>`sync.fold_case(normalize(${column})) in (
    select sync.fold_case(form) from unnest(${forms}::text[]) as wanted (form)
  )`
}
