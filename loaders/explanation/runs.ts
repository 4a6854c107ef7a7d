import type { Kysely } from 'kysely'
import type { Tables } from '../../sql/tables.ts'

/**
 * The last run of an integration that stored a plan: what it read, decided and planned became visible at once, and is
 * what is known of the source. Of a run that reads after it nothing is to be seen.
 */
export function findLastRead(db: Kysely<Tables>, integrationId: string) {
  return db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('plan_hash', 'is not', null)
    .orderBy('run_id', 'desc')
    .limit(1)
    .select(['run_id', 'status', 'started_at', 'contents', 'held', 'certified', 'config_hash', 'plan_hash'])
    .executeTakeFirst()
}

/** The last run that read the source. */
export type LastRead = NonNullable<Awaited<ReturnType<typeof findLastRead>>>

/** A run that was opened after another and has stored no plan: it reads, failed, or died. */
export function findLaterRun(db: Kysely<Tables>, integrationId: string, runId: string) {
  return db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', '>', runId)
    .orderBy('run_id', 'desc')
    .limit(1)
    .select(['run_id', 'status', 'started_at'])
    .executeTakeFirst()
}

/** When runs started, in ISO-8601, by run. */
export async function findStarts(
  db: Kysely<Tables>,
  integrationId: string,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (runIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', 'in', [...new Set(runIds)])
    .select(['run_id', 'started_at'])
    .execute()
  return new Map(rows.map((row) => [row.run_id, row.started_at.toISOString()]))
}
