import { type Expression, type SqlBool, sql } from 'kysely'
import { addressForms } from './addresses.ts'

/** Makes the condition that a column has one of the e-mail addresses, in any of their forms. */
export function isOneOfAddresses(column: Expression<unknown>, addresses: readonly string[]) {
  const forms = addresses.flatMap(addressForms)
  // The database folds both sides, because its lower case of some letters differs from JavaScript's.
  return sql<SqlBool>`sync.fold_case(normalize(${column})) in (
    select sync.fold_case(form) from unnest(${forms}::text[]) as wanted (form)
  )`
}
