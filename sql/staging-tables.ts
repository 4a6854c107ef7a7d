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
