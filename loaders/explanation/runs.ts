import type { Db } from '../../sql/tables.ts'

/** The last run that stored a plan: what it read, decided and planned became visible at once. Nothing is to be seen of later runs. */
export function findLastRead(db: Db, integrationId: string) {
  return db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('plan_hash', 'is not', null)
    .orderBy('run_id', 'desc')
    .limit(1)
    .select(['run_id', 'status', 'started_at', 'contents', 'held', 'certified', 'config_hash', 'plan_hash'])
    .executeTakeFirst()
}

export type LastRead = NonNullable<Awaited<ReturnType<typeof findLastRead>>>

/** A run that was opened after another and has stored no plan: it reads, failed, or died. */
export function findLaterRun(db: Db, integrationId: string, runId: string) {
  return db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', '>', runId)
    .orderBy('run_id', 'desc')
    .limit(1)
    .select(['run_id', 'status', 'started_at'])
    .executeTakeFirst()
}

export async function findStarts(db: Db, integrationId: string, runIds: readonly string[]) {
  if (runIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', 'in', [...new Set(runIds)])
    .select(['run_id', 'started_at'])
    .execute()
  return new Map(rows.map((row) => [row.run_id, row.started_at.toISOString()]))
}
