import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, RunKey, Tables } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../declare/resource.ts'

/**
 * Makes the condition that a version was current after a run had staged its records.
 *
 * @param alias name of a table with history
 */
export function currentAsOf(alias: string, runId: string): RawBuilder<boolean> {
  const [from, to] = [sql.ref(`${alias}.valid_from_run`), sql.ref(`${alias}.valid_to_run`)]
  return sql`(${from} <= ${runId}::uuid and (${to} is null or ${to} > ${runId}::uuid))`
}

/**
 * Selects the versions of an integration that were current after a run had staged its records. If no later
 * run has made a plan, these are the current versions, which an index finds without a scan of the history.
 * The same statement checks this condition and reads the versions, so that no plan can be stored in between.
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
