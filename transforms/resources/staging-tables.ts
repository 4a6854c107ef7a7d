import type { Resource, RowOf } from './resource.ts'
import type * as a from './source-a.ts'
import type * as b from './source-b.ts'

type ResourcesIn<Module> = Extract<Module[keyof Module], Resource>
type Declared = ResourcesIn<typeof a> | ResourcesIn<typeof b>

/** Tables of `staging`, with the rows that their resources declare. */
export type StagingTables = { readonly [Resource in Declared as Resource['table']]: RowOf<Resource> }

declare module '../../sql/tables.ts' {
  // Queries name them beside the product's own tables.
  interface Tables extends StagingTables {}
}

/** One staging table represents all in the types: those who use it touch only what all of them have, or columns by name. */
export function asAny(table: keyof StagingTables): 'staging.a_users' {
  return table as 'staging.a_users'
}
