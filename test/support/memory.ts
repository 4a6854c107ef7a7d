import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { newDb } from 'pg-mem'
import { packageRoot } from '../../pipeline/package-root.ts'
import type { Tables } from '../../sql/tables.ts'

const MIGRATIONS = join(packageRoot, 'sql', 'migrations')
/** What makes staging tables, and columns of them. */
const STAGING = /^(?:create table staging\.[\s\S]*?^\)|alter table staging\.\w+ add column [^;]*);/gm

/**
 * Opens a pg-mem database with the staging tables of the migrations, and the working table of who is named by
 * which session: all that the transforms' cores need. It knows no collations, checks, comments or scripts.
 */
export function openMemory(): Kysely<Tables> {
  const memory = newDb()
  memory.createSchema('staging')
  for (const name of readdirSync(MIGRATIONS).toSorted()) {
    for (const [statement] of readFileSync(join(MIGRATIONS, name), 'utf8').matchAll(STAGING)) {
      memory.public.none(
        statement.replaceAll(' collate "C"', '').replace(/(?:,\s*constraint \w+)? check \(.*\)/g, ''),
      )
    }
  }
  memory.public.none('create table session_speakers (session_id text, user_id text)')
  return memory.adapters.createKysely() as Kysely<Tables>
}
