import { ofRun } from '../../sql/conditions.ts'
import type { Db, NotifiedEnd, RunKey } from '../../sql/tables.ts'

export interface Notice extends RunKey {
  readonly end: NotifiedEnd
  readonly body: string
}

/**
 * Stores a notice that is to be sent. A run has at most one notice for each kind of end: a second one is not
 * stored, even if the first one was sent already.
 */
export async function keepNotice(db: Db, notice: Notice, madeAt: string): Promise<void> {
  const { integrationId, runId, end, body } = notice
  await db
    .insertInto('sync.notices')
    .values({ integration_id: integrationId, run_id: runId, told_end: end, body, made_at: madeAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Finds notices of an integration that are not sent, oldest first.
 * @param since notices that were made at this time or earlier are no longer sent
 */
export async function findUnsent(db: Db, integrationId: string, since: Date): Promise<readonly Notice[]> {
  const rows = await db
    .selectFrom('sync.notices')
    .where(({ and }) => and({ integration_id: integrationId, sent_at: null }))
    .where('made_at', '>', since)
    .orderBy('made_at')
    .orderBy('run_id')
    .select(['run_id as runId', 'told_end as end', 'body'])
    .execute()
  return rows.map((row) => ({ integrationId, ...row }))
}

export async function markSent(db: Db, { integrationId, runId, end }: Notice, sentAt: string): Promise<void> {
  await db
    .updateTable('sync.notices')
    .set({ sent_at: sentAt })
    .$call(ofRun({ integrationId, runId }))
    .where('told_end', '=', end)
    .execute()
}
