import type { Kysely } from 'kysely'
import type { Content, RunKey, Tables } from '../../sql/tables.ts'
import { currentAsOf } from '../as-of.ts'

/** What became of the staged records of a content. */
export async function decidedOf(db: Kysely<Tables>, { integrationId, runId }: RunKey, content: Content) {
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

/** What became of the planned changes of a content. */
export async function sentOf(db: Kysely<Tables>, { integrationId, runId }: RunKey, content: Content) {
  const rows = await db
    .selectFrom('sync.changes')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
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
