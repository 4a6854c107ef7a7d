import { ofRun } from '../../sql/conditions.ts'
import type { Db, NotifiedEnd, RunKey } from '../../sql/tables.ts'

export interface Notice extends RunKey {
  readonly end: NotifiedEnd
  readonly body: string
}

/**
 * Stores a notice until it is sent. For each run and end it stores only one, even if that one was sent
 * already.
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
 * @param since older notices are given up
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
