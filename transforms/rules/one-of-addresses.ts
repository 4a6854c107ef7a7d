import { type Expression, type SqlBool, sql } from 'kysely'
import { addressForms } from './addresses.ts'

/** Returns whether a column has one of the e-mail addresses, in any of their forms. */
export function isOneOfAddresses(column: Expression<unknown>, addresses: readonly string[]) {
  const forms = addresses.flatMap(addressForms)
  // The database folds both sides, since its lower case differs from JavaScript's for some letters.
  return sql<SqlBool>`sync.fold_case(normalize(${column})) in (
    select sync.fold_case(form) from unnest(${forms}::text[]) as wanted (form)
  )`
}
