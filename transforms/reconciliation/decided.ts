import { ofRun } from '../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { currentAsOf } from '../history/as-of.ts'

export async function decidedOf(db: Db, { integrationId, runId }: RunKey, content: Content) {
  const rows = await db
    .selectFrom('sync.decisions as decision')
    .where('decision.integration_id', '=', integrationId)
    .where('decision.content', '=', content)
    .where(currentAsOf('decision', runId))
    .groupBy(['decision.decision', 'decision.reason'])
    .select((eb) => ['decision.decision', 'decision.reason', eb.fn.countAll<string>().as('count')])
    .execute()
  let synced = 0n
  const excluded: (readonly [string, bigint])[] = []
  for (const { decision, reason, count } of rows) {
    if (decision === 'synced') synced += BigInt(count)
    else excluded.push([reason, BigInt(count)])
  }
  return { synced, excluded }
}

export async function sentOf(db: Db, run: RunKey, content: Content) {
  const rows = await db
    .selectFrom('sync.changes')
    .$call(ofRun(run))
    .where('content', '=', content)
    .groupBy(['action', 'state', 'result'])
    .select((eb) => ['action', 'state', 'result', eb.fn.countAll<string>().as('count')])
    .execute()
  const sum = (is: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(is).reduce((total, { count }) => total + BigInt(count), 0n)
  const isUpsert = ({ action }: (typeof rows)[number]) => action !== 'remove'
  const landed = (result: string) => (row: (typeof rows)[number]) =>
    isUpsert(row) && row.state === 'applied' && row.result === result
  return {
    created: sum(landed('created')),
    updated: sum(landed('updated')),
    // The platform had it as it should be already.
    unchanged: sum(landed('unchanged')),
    failed: sum((row) => isUpsert(row) && row.state === 'failed'),
    missing: sum(({ action, state }) => action === 'create' && state === 'failed'),
    removed: sum(({ action, state }) => action === 'remove' && state === 'applied'),
    removalsFailed: sum(({ action, state }) => action === 'remove' && state === 'failed'),
    removalsWithheld: sum(({ action, state }) => action === 'remove' && state === 'withheld'),
  }
}
