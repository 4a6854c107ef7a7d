import type { StagingTables } from './tables.ts'

/** Every table of `staging`, source by source. */
export const STAGING_TABLES = Object.keys({
  'staging.a_sessions': true,
  'staging.a_time_slots': true,
  'staging.a_rooms': true,
  'staging.a_tracks': true,
  'staging.a_session_types': true,
  'staging.a_users': true,
  'staging.b_sessions': true,
  'staging.b_registrants': true,
  'staging.b_reg_types': true,
} satisfies Record<keyof StagingTables, true>) as readonly (keyof StagingTables)[]

/** One staging table stands for all in the types: those who use it touch only what all of them have, or columns by name. */
export function asAny(table: keyof StagingTables): 'staging.a_users' {
  return table as 'staging.a_users'
}
