import { type Expression, type SqlBool, sql } from 'kysely'
import { addressForms } from './addresses.ts'

/** Compares a column with e-mail addresses, no matter what form the column has them in. */
export function isOneOfAddresses(column: Expression<unknown>, addresses: readonly string[]) {
  const forms = addresses.flatMap(addressForms)
  // Folded by the database on both sides: its lower case is not always that of JavaScript.
  return sql<SqlBool>`sync.fold_case(normalize(${column})) in (
    select sync.fold_case(form) from unnest(${forms}::text[]) as wanted (form)
  )`
}
