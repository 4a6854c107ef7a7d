import type { StagingTables } from './tables.ts'

/** Every table of `staging`, source by source. */
export const STAGING_TABLES = [
  'staging.a_sessions',
  'staging.a_time_slots',
  'staging.a_rooms',
  'staging.a_tracks',
  'staging.a_session_types',
  'staging.a_users',
  'staging.b_sessions',
  'staging.b_registrants',
  'staging.b_reg_types',
] as const satisfies readonly (keyof StagingTables)[]

/** One staging table stands for all in the types: those who use it touch only what all of them have, or columns by name. */
export function asAny(table: keyof StagingTables): 'staging.a_users' {
  return table as 'staging.a_users'
}
