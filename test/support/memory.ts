import type { Kysely } from 'kysely'
import { newDb } from 'pg-mem'
import type { Tables } from '../../sql/tables.ts'
import { TRANSFORMS } from '../../transforms/decide/platform-fields.ts'
import { stagingSql } from '../../transforms/decide/staging-sql.ts'

/** Matches the statements that create staging tables, and the statements that add the column `custom`. */
const STAGING = /^(?:create table[\s\S]*?^\)|alter table \S+ add column if not exists custom [^;]*);/gm

/**
 * Opens a database in memory, made by the package pg-mem. The database has all tables that the cores of the
 * transforms need: the staging tables, and the working table of the people whom each session names. The
 * package does not support collations, check constraints, comments or scripts.
 */
export function openMemory(): Kysely<Tables> {
  const memory = newDb()
  memory.createSchema('staging')
  for (const [source, transform] of Object.entries(TRANSFORMS)) {
    for (const { text } of stagingSql(source, transform)) {
      for (const [statement] of text.matchAll(STAGING)) {
        memory.public.none(
          statement
            .replaceAll(' collate "C"', '')
            .replace(/,\s*constraint \w+ check \(.*\)/, '')
            .replace(/ check \(\w+ in \([^)]*\)\)/g, '')
            .replace(' if not exists', ''),
        )
      }
    }
  }
  memory.public.none('create table session_speakers (session_id text, user_id text)')
  return memory.adapters.createKysely() as Kysely<Tables>
}
