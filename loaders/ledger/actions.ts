import { type Selectable, sql } from 'kysely'
import { notExists } from '../../sql/conditions.ts'
import type { Db, OperatorAction, Pin, Tables } from '../../sql/tables.ts'
import type { RunRecord } from './ledger.ts'

/** Something that an operator did with an integration, such as a pause or an approval. */
export interface Action {
  /** UUIDv7. Within an integration, later actions have greater ids. */
  readonly actionId: string
  readonly action: OperatorAction
  /** Time of the action, in ISO-8601 and UTC. */
  readonly madeAt: string
  readonly madeBy: string
  readonly reason: string | null
  /** Time at which a pause ends without `resume`, in ISO-8601 and UTC; null if there is no such time. */
  readonly until: string | null
  readonly runId: string | null
  /** The subject of the action, such as the hash of a plan. The text contains no personal data. */
  readonly detail: string | null
}

/**
 * Stores an action of an operator in the log. The caller must use the transaction in which the action changes
 * the database. Otherwise, after a crash, the log could have an action that did not happen, or lack an action
 * that did happen.
 */
export async function keepAction(transaction: Db, integrationId: string, action: Action): Promise<void> {
  await transaction
    .insertInto('sync.actions')
    .values({
      integration_id: integrationId,
      action_id: action.actionId,
      action: action.action,
      made_at: action.madeAt,
      made_by: action.madeBy,
      reason: action.reason,
      until: action.until,
      run_id: action.runId,
      detail: action.detail,
    })
    .execute()
}

/** Returns the id of the newest action on an integration; null if there is no action. */
export async function lastActionId(db: Db, integrationId: string): Promise<string | null> {
  const row = await db
    .selectFrom('sync.actions')
    .where('integration_id', '=', integrationId)
    .orderBy('action_id', 'desc')
    .limit(1)
    .select('action_id')
    .executeTakeFirst()
  return row?.action_id ?? null
}

/**
 * Locks the pin of an integration until the transaction ends. A transaction that decides whether a plan is sent
 * takes this lock before it reads the pin, and `pause` takes it too. So `pause` knows whether a plan is sent.
 */
export async function lockPin(transaction: Db, integrationId: string): Promise<void> {
  await transaction
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .forUpdate()
    .select('integration_id')
    .execute()
}

interface ActionFilter {
  readonly integrationId: string
  /** Only actions of these kinds; default: all kinds. */
  readonly actions?: readonly OperatorAction[]
}

/** Finds actions, newest first. */
export async function findActions(
  db: Db,
  { integrationId, actions }: ActionFilter,
  limit = 1000,
): Promise<readonly Action[]> {
  const rows = await db
    .selectFrom('sync.actions')
    .where('integration_id', '=', integrationId)
    .$if(actions !== undefined, (query) => query.where('action', 'in', actions ?? []))
    .orderBy('action_id', 'desc')
    .limit(limit)
    .selectAll()
    .execute()
  return rows.map(toAction)
}

function toAction(row: Selectable<Tables['sync.actions']>): Action {
  return {
    actionId: row.action_id,
    action: row.action,
    madeAt: row.made_at.toISOString(),
    madeBy: row.made_by,
    reason: row.reason,
    until: row.until?.toISOString() ?? null,
    runId: row.run_id,
    detail: row.detail,
  }
}

/**
 * Finds all actions of a period, those that belong to some runs even if they were made at another time, and
 * later `forget` and `purge`; oldest first. The log does not say which packs `forget` and `purge` changed, so
 * all that were made since the begin of the period count.
 *
 * @param since begin of the period in ISO 8601; `before` is its end, which does not belong to it
 */
export async function findActionsOfPeriod(
  db: Db,
  integrationId: string,
  { since, before }: { readonly since: string; readonly before: string },
  runs: readonly string[],
): Promise<readonly Action[]> {
  const rows = await db
    .selectFrom('sync.actions')
    .where('integration_id', '=', integrationId)
    .where((eb) =>
      eb.or([
        eb.and([eb('made_at', '>=', new Date(since)), eb('made_at', '<', new Date(before))]),
        eb('run_id', '=', sql<string>`any(${[...runs]}::uuid[])`),
        eb.and([eb('made_at', '>=', new Date(since)), eb('action', 'in', ['forgotten', 'purged'])]),
      ]),
    )
    .orderBy('action_id')
    .selectAll()
    .execute()
  return rows.map(toAction)
}

/**
 * Finds the pins of those integrations that are pinned now, with one query. An integration is pinned if it was
 * paused or rolled back after it was last resumed. If a pinned integration is paused again, the pin gets the
 * new end and reason, and keeps its start.
 *
 * @param now ISO-8601
 */
export async function findPins(
  db: Db,
  integrationIds: readonly string[],
  now: string,
): Promise<ReadonlyMap<string, Pin>> {
  const rows = await db
    .selectFrom('sync.actions')
    .where('integration_id', '=', sql<string>`any(${[...integrationIds]}::text[])`)
    .where('action', 'in', ['paused', 'rolled_back'])
    .where(({ selectFrom }) =>
      notExists(
        selectFrom('sync.actions as later')
          .whereRef('later.integration_id', '=', 'sync.actions.integration_id')
          .whereRef('later.action_id', '>', 'sync.actions.action_id')
          .where('later.action', '=', 'resumed')
          .select('later.action_id'),
      ),
    )
    .orderBy('integration_id')
    .orderBy('action_id')
    .select(['integration_id', 'made_at', 'until', 'reason'])
    .execute()
  const pins = new Map<string, Pin>()
  for (const { integration_id: id, made_at, until, reason } of rows) {
    const madeAt = made_at.toISOString()
    const before = pins.get(id)
    const since = before !== undefined && lasts(before, madeAt) ? before.since : madeAt
    pins.set(id, { since, until: until?.toISOString() ?? null, reason })
  }
  return new Map([...pins].filter(([, pin]) => lasts(pin, now)))
}

function lasts({ until }: Pin, at: string): boolean {
  return until === null || Date.parse(until) > Date.parse(at)
}

/** Finds the pin of an integration; null if the integration is not pinned now. @param now ISO-8601 */
export async function findPin(db: Db, integrationId: string, now: string): Promise<Pin | null> {
  return (await findPins(db, [integrationId], now)).get(integrationId) ?? null
}

/**
 * Returns true if the plan of a run may be sent while its integration is pinned. Only the plan of a rollback
 * may be sent then, because a rollback does not send what the source has now.
 */
export function mayApplyWhilePinned({ command }: Pick<RunRecord, 'command'>): boolean {
  return command === 'rollback'
}
