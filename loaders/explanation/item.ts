import type { Kysely } from 'kysely'
import type { Content, RunKey, Tables } from '../../sql/tables.ts'
import type { ItemVersion } from '../../transforms/value-history.ts'

/** Which item, or which record by the id that the item has or would have. */
export interface ItemKey {
  readonly integrationId: string
  readonly content: Content
  readonly uniqueId: string
}

/** Runs whose changes of one item are told; those before them are history. */
const MOST_CHANGES = 50

/**
 * What was decided last on the record of an item; it no longer holds where the record is gone.
 *
 * A record has the unique ID of its item for id: only a speaker without an id has no unique ID, and is found by the
 * address that stands in.
 *
 * @returns the newest decision, with the first run since which its reason stands
 */
export async function findDecision(db: Kysely<Tables>, { integrationId, content, uniqueId }: ItemKey) {
  const rows = await db
    .selectFrom('sync.decisions')
    .where('integration_id', '=', integrationId)
    .where('content', '=', content)
    .where('source_id', '=', uniqueId)
    .orderBy('valid_from_run', 'desc')
    .select(['decision', 'reason', 'detail', 'valid_from_run', 'valid_to_run'])
    .execute()
  const [last] = rows
  if (last === undefined) return undefined
  let since = last
  // Another detail alone makes a new row, too.
  for (const row of rows.slice(1)) {
    if (row.valid_to_run !== since.valid_from_run || row.reason !== since.reason) break
    since = row
  }
  return { ...last, since_run: since.valid_from_run }
}

/** Everything that an item was desired to be, oldest first. */
export async function findVersions(
  db: Kysely<Tables>,
  { integrationId, content, uniqueId }: ItemKey,
): Promise<readonly ItemVersion[]> {
  const rows = await db
    .selectFrom('sync.desired_items')
    .where('integration_id', '=', integrationId)
    .where('content', '=', content)
    .where('unique_id', '=', uniqueId)
    .orderBy('valid_from_run')
    .select(['fields', 'valid_from_run', 'valid_to_run'])
    .execute()
  return rows.map((row) => ({ fields: row.fields, fromRun: row.valid_from_run, toRun: row.valid_to_run }))
}

/** What the platform has of an item, as far as it acknowledged it. */
export function findKnown(db: Kysely<Tables>, { integrationId, content, uniqueId }: ItemKey) {
  return db
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .where('content', '=', content)
    .where('unique_id', '=', uniqueId)
    .select(['fields', 'run_id'])
    .executeTakeFirst()
}

/** What runs planned to do to an item, and what became of it, the newest first. */
export function findChanges(db: Kysely<Tables>, { integrationId, content, uniqueId }: ItemKey) {
  return (
    db
      .selectFrom('sync.runs as run')
      // One look into the index for each run, instead of one through the changes of all runs.
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom('sync.changes as of_run')
            .whereRef('of_run.integration_id', '=', 'run.integration_id')
            .whereRef('of_run.run_id', '=', 'run.run_id')
            .where('of_run.content', '=', content)
            .where('of_run.unique_id', '=', uniqueId)
            .limit(1)
            .select(['of_run.action', 'of_run.reason', 'of_run.state', 'of_run.code', 'of_run.retryable'])
            .as('change'),
        (join) => join.onTrue(),
      )
      .where('run.integration_id', '=', integrationId)
      .where('run.plan_hash', 'is not', null)
      .orderBy('run.run_id', 'desc')
      .limit(MOST_CHANGES)
      .select([
        'run.run_id',
        'run.started_at',
        'run.status',
        'run.held',
        'run.plan_hash',
        'change.action',
        'change.reason',
        'change.state',
        'change.code',
        'change.retryable',
      ])
      .execute()
  )
}

export type ItemChange = Awaited<ReturnType<typeof findChanges>>[number]

/** How often a run read a record of this id before the one that counts. */
export async function countRepeated(
  db: Kysely<Tables>,
  { integrationId, runId }: RunKey,
  resource: string,
  sourceId: string,
): Promise<number> {
  const { count } = await db
    .selectFrom('sync.unstaged')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .where('resource', '=', resource)
    .where('source_id', '=', sourceId)
    .where('reason', '=', 'duplicate_id')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Whether a run, whose read was not proved complete, did not see a record. */
export async function isUnseen(
  db: Kysely<Tables>,
  { integrationId, runId }: RunKey,
  resource: string,
  sourceId: string,
): Promise<boolean> {
  const unseen = await db
    .selectFrom('sync.unseen')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .where('resource', '=', resource)
    .where('source_id', '=', sourceId)
    .select('source_id')
    .executeTakeFirst()
  return unseen !== undefined
}
