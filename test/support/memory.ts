import type { Kysely } from 'kysely'
import { newDb } from 'pg-mem'
import type { Tables } from '../../sql/tables.ts'
import { TRANSFORMS } from '../../transforms/decide/platform-fields.ts'
import { stagingSql } from '../../transforms/decide/staging-sql.ts'

/** Matches the statements that create staging tables, and those that add the column of custom fields. */
const STAGING = /^(?:create table[\s\S]*?^\)|alter table \S+ add column if not exists custom [^;]*);/gm

/**
 * Opens a pg-mem database with the staging tables and the working table of the people whom each session
 * names: that is all the cores of the transforms need. It does not support collations, checks, comments or
 * scripts.
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
