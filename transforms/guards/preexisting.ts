import { sql } from 'kysely'
import { notExists } from '../../sql/conditions.ts'
import type { Db, RunKey } from '../../sql/tables.ts'
import { counted } from '../texts/counted.ts'
import type { GuardFinding } from './guard-finding.ts'
import { ASKED_FOR, isNewToApprover } from './stated-removals.ts'

/**
 * Holds a plan for approval if it would remove items that the platform had before the first plan. Items that
 * any plan has included since the first plan are not counted. Someone else created the items that the
 * platform had before the first plan, and may need them.
 */
export async function findPreexisting(db: Db, plan: RunKey): Promise<GuardFinding | null> {
  const rows = await db
    .selectFrom('sync.changes as change')
    .where('change.integration_id', '=', plan.integrationId)
    .where('change.run_id', '=', plan.runId)
    .innerJoin('sync.platform_items as item', (join) =>
      join
        .onRef('item.integration_id', '=', 'change.integration_id')
        .onRef('item.content', '=', 'change.content')
        .onRef('item.unique_id', '=', 'change.unique_id'),
    )
    .where('change.action', '=', 'remove')
    .where('change.reason', 'not in', [...ASKED_FOR])
    .where('item.preexisting', '=', true)
    .where(({ selectFrom }) =>
      notExists(
        selectFrom('sync.desired_items as desired')
          .whereRef('desired.integration_id', '=', 'item.integration_id')
          .whereRef('desired.content', '=', 'item.content')
          .whereRef('desired.unique_id', '=', 'item.unique_id')
          .where((eb) =>
            eb.or([
              eb('desired.valid_to_run', 'is', null),
              eb('desired.valid_to_run', '>', eb.ref('item.run_id')),
            ]),
          )
          .select('desired.unique_id'),
      ),
    )
    .where(isNewToApprover(plan))
    .groupBy('change.content')
    .orderBy('change.content')
    .select(['change.content', sql<string>`count(*)`.as('count')])
    .execute()
  if (rows.length === 0) return null
  const seen = rows.map(({ content, count }) => `${counted(Number(count), 'item')} of ${content}`)
  return {
    guard: 'preexisting',
    detail: `${seen.join(', ')} would be removed that the platform had before the first run and that the source does not ask for`,
    todo: 'Look at them on the platform, and check that it is the right event: approve the plan if nobody needs them; enter them at the source, or set removals.action to keep, if somebody does.',
    onlyRemovals: true,
  }
}
