import { readFileSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { newDb } from 'pg-mem'
import type { Tables } from '../../sql/tables.ts'

const STAGING = new URL('../../sql/migrations/0001-staging.sql', import.meta.url)

/**
 * Opens a pg-mem database with the staging tables of the migration, and the working table of who is named by
 * which session: all that the transforms' cores need. It knows no collations, checks, comments or scripts.
 */
export function openMemory(): Kysely<Tables> {
  const memory = newDb()
  memory.createSchema('staging')
  const tables = readFileSync(STAGING, 'utf8').match(/^create table [\s\S]*?^\);/gm) ?? []
  for (const table of tables) {
    memory.public.none(table.replaceAll(' collate "C"', '').replace(/ check \(.*\)/g, ''))
  }
  memory.public.none('create table session_speakers (session_id text, user_id text)')
  return memory.adapters.createKysely() as Kysely<Tables>
}
