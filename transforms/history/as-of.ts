import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, RunKey, Tables } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../declare/resource.ts'

/**
 * Makes the SQL condition that a version was current just after a run had staged its records.
 *
 * @param alias alias of a table with history
 */
export function currentAsOf(alias: string, runId: string): RawBuilder<boolean> {
  const [from, to] = [sql.ref(`${alias}.valid_from_run`), sql.ref(`${alias}.valid_to_run`)]
  return sql`(${from} <= ${runId}::uuid and (${to} is null or ${to} > ${runId}::uuid))`
}

/**
 * Selects the versions of an integration that were current just after a run had staged its records. If no
 * later run has made a plan, the selected versions are simply the current versions. An index finds current
 * versions without a scan of the history. One statement both checks if a later plan exists and reads the
 * versions, so that no other process can store a plan in between.
 */
export function versionsAsOf<Name extends 'sync.decisions' | 'sync.desired_items' | keyof StagingTables>(
  db: Db,
  table: Name,
  { integrationId, runId }: RunKey,
) {
  const isLast = sql<boolean>`(select not exists (
    select from sync.runs as later
    where later.integration_id = ${integrationId}
      and later.run_id > ${runId}::uuid
      and later.planned_at is not null
  ))`
  const versions = db
    .selectFrom(`${asAny(table as keyof StagingTables)} as version`)
    .where('version.integration_id', '=', integrationId)
    .selectAll()
  return versions
    .where(isLast)
    .where('version.valid_to_run', 'is', null)
    .unionAll(versions.where(sql<boolean>`not ${isLast}`).where(currentAsOf('version', runId)))
    .$castTo<Selectable<Tables[Name]>>()
}
