import { countRows, ofRun } from '../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { flatFields } from '../../transforms/declare/field-values.ts'

/** Which item, or which record by the id that the item has or would have. */
export interface ItemKey {
  readonly integrationId: string
  readonly content: Content
  readonly uniqueId: string
}

const MOST_CHANGES = 50

/**
 * What was decided last on the record of an item; it no longer holds where the record is gone.
 *
 * A record has the unique ID of its item for id: only a speaker without an id has no unique ID, and is found by the
 * address that is in.
 */
export async function findDecision(db: Db, { integrationId, content, uniqueId }: ItemKey) {
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
export async function findVersions(db: Db, { integrationId, content, uniqueId }: ItemKey) {
  const rows = await db
    .selectFrom('sync.desired_items')
    .where('integration_id', '=', integrationId)
    .where('content', '=', content)
    .where('unique_id', '=', uniqueId)
    .orderBy('valid_from_run')
    .select(['fields', 'valid_from_run', 'valid_to_run'])
    .execute()
  return rows.map((row) => ({
    fields: flatFields(row.fields),
    fromRun: row.valid_from_run,
    toRun: row.valid_to_run,
  }))
}

/** What the platform has of an item, as far as it acknowledged it. */
export function findKnown(db: Db, { integrationId, content, uniqueId }: ItemKey) {
  return db
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .where('content', '=', content)
    .where('unique_id', '=', uniqueId)
    .select(['fields', 'run_id'])
    .executeTakeFirst()
}

/** What runs planned to do to an item, and what became of it, the newest first. */
export function findChanges(db: Db, { integrationId, content, uniqueId }: ItemKey) {
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
export async function countRepeated(db: Db, run: RunKey, resource: string, sourceId: string) {
  const records = db
    .selectFrom('sync.unstaged')
    .$call(ofRun(run))
    .where('resource', '=', resource)
    .where('source_id', '=', sourceId)
    .where('reason', '=', 'duplicate_id')
  return countRows(records)
}

/** The certificate of a read that did not see a record, and concluded nothing from that; undefined where there is none. */
export function findUnseen(db: Db, { integrationId, runId }: RunKey, resource: string, sourceId: string) {
  return db
    .selectFrom('sync.unseen as unseen')
    .innerJoin('sync.certificates as certificate', (join) =>
      join
        .onRef('certificate.integration_id', '=', 'unseen.integration_id')
        .onRef('certificate.run_id', '=', 'unseen.run_id')
        .onRef('certificate.resource', '=', 'unseen.resource'),
    )
    .where('unseen.integration_id', '=', integrationId)
    .where('unseen.run_id', '=', runId)
    .where('unseen.resource', '=', resource)
    .where('unseen.source_id', '=', sourceId)
    .select(['certificate.certified', 'certificate.detail'])
    .executeTakeFirst()
}
