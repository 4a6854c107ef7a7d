import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { analyzeAfter } from '../sql/statements.ts'
import type { Action, ChangeCounts, Content, Tables } from '../sql/tables.ts'

/** Version of what the platform is sent, and of what the plan hash covers. Source: design 8. */
export const CONTRACT_VERSION = '1.0'

/** Order in which contents are sent; removals come after all of them. Source: design 8. */
const SENDING_ORDER: readonly Content[] = ['attendees', 'speakers', 'agenda']

/** Reason of a removal that somebody asked for, by `event-sync forget`. Source: design 9. */
const FORGOTTEN = 'forgotten'

/** What a plan is made for. */
export interface PlanScope {
  readonly integrationId: string
  readonly runId: string
  readonly contents: readonly Content[]
  /** `keep` leaves every item on the platform. */
  readonly removals: 'remove' | 'keep'
  /** Reasons that a record states itself; by any other a removal is inferred. */
  readonly attested: readonly string[]
  /** Contents of which every resource was read completely: no other has inferred removals. */
  readonly complete: readonly Content[]
  /** Names the platform event, for the hash. */
  readonly target: string
  /** State of the platform that the plan starts from. */
  readonly base: string
}

export interface Plan {
  /** SHA-256 in hex over contract version, integration, target, base and the ordered changes; no run, no time. */
  readonly hash: string
  readonly changes: Readonly<Partial<Record<Content, ChangeCounts>>>
  /** Items that stay on the platform although nothing in the source stands for them any more. */
  readonly kept: number
}

/**
 * Compares what the platform should have with what it has, as far as it acknowledged it, and stores each
 * difference as a change, in the order in which it is sent.
 *
 * Source: design 4, "plan"; design 11, "Plan hash".
 */
export async function makePlan(transaction: Kysely<Tables>, scope: PlanScope): Promise<Plan> {
  await insertChanges(transaction, scope)
  const changes = await countChanges(transaction, scope)
  return {
    hash: await hashPlan(transaction, scope),
    changes,
    kept: await countKept(transaction, scope, changes),
  }
}

async function insertChanges(db: Kysely<Tables>, scope: PlanScope): Promise<void> {
  const { integrationId, runId } = scope
  const isRemoval = sql<boolean>`(difference.action = 'remove')`
  // Of a record that is gone there is no decision any more; whoever was forgotten stands there by a token.
  const reason = sql<string>`case
    when not ${isRemoval} then ''
    when gone.token is not null then ${FORGOTTEN}::text
    else coalesce(decision.reason, 'removed_at_source') end`
  const isInferred = sql<boolean>`(${isRemoval} and ${reason} <> all (${[FORGOTTEN, ...scope.attested]}::text[]))`
  const difference = db
    .selectFrom((eb) =>
      eb
        .selectFrom('sync.desired_items')
        .where('integration_id', '=', integrationId)
        .where('content', 'in', [...scope.contents])
        .where('valid_to_run', 'is', null)
        .select(['content', 'unique_id', 'fields'])
        .as('desired'),
    )
    .fullJoin(
      (eb) =>
        eb
          .selectFrom('sync.platform_items')
          .where('integration_id', '=', integrationId)
          .where('content', 'in', [...scope.contents])
          .select(['content', 'unique_id', 'fields'])
          .as('known'),
      (join) =>
        join
          .onRef('known.content', '=', 'desired.content')
          .onRef('known.unique_id', '=', 'desired.unique_id'),
    )
    .where(sql<boolean>`desired.fields is distinct from known.fields`)
    .select([
      sql<Content>`coalesce(desired.content, known.content)`.as('content'),
      sql<string>`coalesce(desired.unique_id, known.unique_id)`.as('unique_id'),
      sql<Action>`case when known.fields is null then 'create' when desired.fields is null then 'remove' else 'update' end`.as(
        'action',
      ),
      'known.fields as before',
      'desired.fields as after',
    ])
  const place = sql`array_position(${SENDING_ORDER}::text[], difference.content::text)`
  const inserted = await db
    .insertInto('sync.changes')
    .columns([
      'integration_id',
      'run_id',
      'seq',
      'content',
      'unique_id',
      'action',
      'reason',
      'before',
      'after',
      'change_hash',
      'inferred',
      'state',
    ])
    .expression((eb) =>
      eb
        .selectFrom(difference.as('difference'))
        .leftJoin('sync.decisions as decision', (join) =>
          join
            .on('decision.integration_id', '=', integrationId)
            .on('decision.valid_to_run', 'is', null)
            .on(isRemoval)
            .onRef('decision.content', '=', 'difference.content')
            .onRef('decision.unique_id', '=', 'difference.unique_id')
            // A record that was not read in this run states nothing, whatever a lookup makes of it now.
            .on(({ exists, not, selectFrom }) =>
              not(
                exists(
                  selectFrom('sync.unseen as unseen')
                    .select('unseen.source_id')
                    .where('unseen.integration_id', '=', integrationId)
                    .where('unseen.run_id', '=', runId)
                    .whereRef('unseen.resource', '=', 'decision.resource')
                    .whereRef('unseen.source_id', '=', 'decision.source_id'),
                ),
              ),
            ),
        )
        .leftJoin('sync.forgotten as gone', (join) =>
          join.on('gone.integration_id', '=', integrationId).onRef('gone.token', '=', 'difference.unique_id'),
        )
        .where((where) =>
          where.or([
            where.not(isRemoval),
            // Whoever asked for that asked the operator, not the source.
            where('gone.token', 'is not', null),
            ...(scope.removals === 'keep'
              ? []
              : [
                  where.not(isInferred),
                  sql<boolean>`difference.content = any (${[...scope.complete]}::text[])`,
                ]),
          ]),
        )
        .select([
          sql.val(integrationId).as('integration_id'),
          sql<string>`${runId}::uuid`.as('run_id'),
          sql<string>`row_number() over (
            order by difference.action = 'remove', ${place}, difference.unique_id collate "C"
          )`.as('seq'),
          'difference.content',
          'difference.unique_id',
          'difference.action',
          reason.as('reason'),
          sql<string | null>`difference.before`.as('before'),
          sql<string | null>`difference.after`.as('after'),
          sql<Uint8Array>`sha256(convert_to(jsonb_build_array(
            difference.action, difference.content, difference.unique_id, ${reason}, difference.after
          )::text, 'UTF8'))`.as('change_hash'),
          isInferred.as('inferred'),
          sql.lit('pending').as('state'),
        ]),
    )
    .executeTakeFirstOrThrow()
  await analyzeAfter(db, 'sync.changes', inserted.numInsertedOrUpdatedRows ?? 0n)
}

/**
 * Leaves every removal of a plan out of what is applied, but for people who were forgotten: these speak for no fault of
 * the source.
 *
 * @returns how many there are
 * Source: design 11, "withholdRemovals".
 */
export async function withholdRemovals(
  transaction: Kysely<Tables>,
  { integrationId, runId }: Pick<PlanScope, 'integrationId' | 'runId'>,
): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable('sync.changes')
    .set({ state: 'withheld' })
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .where('action', '=', 'remove')
    .where('reason', '<>', FORGOTTEN)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Hashes in blocks, so that neither the database nor this process holds all of a large plan. */
async function hashPlan(db: Kysely<Tables>, scope: PlanScope): Promise<string> {
  const blocks = await db
    .selectFrom('sync.changes')
    .where('integration_id', '=', scope.integrationId)
    .where('run_id', '=', scope.runId)
    .groupBy(sql`(seq - 1) / 1000`)
    .orderBy(sql`(seq - 1) / 1000`)
    .select(sql<string>`encode(sha256(string_agg(change_hash, ''::bytea order by seq)), 'hex')`.as('digest'))
    .execute()
  const hash = createHash('sha256')
  hash.update(JSON.stringify([CONTRACT_VERSION, scope.integrationId, scope.target, scope.base]))
  for (const { digest } of blocks) hash.update(`\n${digest}`)
  return hash.digest('hex')
}

async function countChanges(db: Kysely<Tables>, scope: PlanScope): Promise<Plan['changes']> {
  const planned = await db
    .selectFrom('sync.changes')
    .where('integration_id', '=', scope.integrationId)
    .where('run_id', '=', scope.runId)
    .groupBy(['content', 'action'])
    .select(['content', 'action', sql<string>`count(*)`.as('count')])
    .execute()
  const desired = await db
    .selectFrom('sync.desired_items')
    .where('integration_id', '=', scope.integrationId)
    .where('content', 'in', [...scope.contents])
    .where('valid_to_run', 'is', null)
    .groupBy('content')
    .select(['content', sql<string>`count(*)`.as('count')])
    .execute()
  const counts = scope.contents.map((content) => {
    const of = (action: Action) =>
      Number(planned.find((row) => row.content === content && row.action === action)?.count ?? 0)
    const items = Number(desired.find((row) => row.content === content)?.count ?? 0)
    const [create, update, remove] = [of('create'), of('update'), of('remove')]
    return [content, { create, update, remove, unchanged: items - create - update }] as const
  })
  return Object.fromEntries(counts)
}

/** What is known to be on the platform, less what is desired and there, less what is removed. */
async function countKept(db: Kysely<Tables>, scope: PlanScope, changes: Plan['changes']): Promise<number> {
  const known = await db
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', scope.integrationId)
    .where('content', 'in', [...scope.contents])
    .select(sql<string>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  return Object.values(changes).reduce(
    (kept, { update, unchanged, remove }) => kept - update - unchanged - remove,
    Number(known.count),
  )
}
