import { createHash } from 'node:crypto'
import { type Expression, sql } from 'kysely'
import { notExists, ofRun } from '../../sql/conditions.ts'
import { insertFrom } from '../../sql/insert-from.ts'
import { analyzeAfter } from '../../sql/statistics.ts'
import type {
  Action,
  ChangeCounts,
  Content,
  CustomFields,
  Db,
  Fields,
  Phase,
  RunKey,
} from '../../sql/tables.ts'
import { unsignedFields } from '../decide/signed-addresses.ts'
import { orderAddressMoves } from './address-moves.ts'
import { markHandovers } from './handovers.ts'

/**
 * Version of the contract between this product and the platform. The version is sent with the operations, and
 * it is a part of the plan hash.
 */
export const CONTRACT_VERSION = '1.0'

/** Order in which contents are sent within each phase. */
const SENDING_ORDER: readonly Content[] = ['attendees', 'speakers', 'agenda']

/** Reason of a removal that was requested with `event-sync forget`. */
export const FORGOTTEN = 'forgotten'

export interface PlanScope extends RunKey {
  readonly contents: readonly Content[]
  readonly custom: CustomFields
  /** `keep` means that no item is removed from the platform. */
  readonly removals: 'remove' | 'keep'
  /** Contents whose items the platform cannot remove. Removals of these contents are not planned. */
  readonly irremovable: readonly Content[]
  /** With `update`, the new person of a registration keeps the account of the previous person. */
  readonly handover: 'replace' | 'update'
  /**
   * Reasons for a removal that the record itself states. A removal for any other reason is called inferred.
   */
  readonly attested: readonly string[]
  /**
   * Contents for which every needed resource was read completely. Only contents in this list may have
   * inferred removals in the plan.
   */
  readonly complete: readonly Content[]
  /**
   * Resources of which this run read only changes. A later full reading may bring values that the records of
   * these resources lack now.
   */
  readonly readByChanges: readonly string[]
  /**
   * Contents with at least one unreadable record. If the record of an item was never read, the item may
   * belong to an unreadable record.
   */
  readonly unread: readonly Content[]
  readonly target: string
  readonly platformRevision: string
  /** Run whose state a rollback restores; left out for other plans. */
  readonly rollbackTo?: string
}

export interface Plan {
  /**
   * SHA-256 in hex over contract version, integration, target, platform revision, the run whose state a
   * rollback restores, and the ordered changes. The hash does not cover the run, the time and the signatures
   * of addresses. Therefore a held plan keeps its hash if the source gives addresses new signatures.
   */
  readonly hash: string
  readonly changes: Readonly<Partial<Record<Content, ChangeCounts>>>
  /** Number of items that stay on the platform although they are no longer synced. */
  readonly kept: number
  /** Number of removals that are not planned, because the platform cannot remove items of the content. */
  readonly irremovable: Readonly<Partial<Record<Content, number>>>
}

/**
 * Stores each difference between the desired items and the platform's items as a change. The changes are
 * stored in the order of sending.
 *
 * @param isSettled true if desired and known items are certainly equal, so that comparing them is unnecessary
 */
export async function makePlan(transaction: Db, scope: PlanScope, isSettled = false): Promise<Plan> {
  if (!isSettled) await insertChanges(transaction, scope)
  const changes = await countChanges(transaction, scope)
  return {
    hash: await hashPlan(transaction, scope),
    changes,
    kept: await countKept(transaction, scope, changes),
    irremovable: await countIrremovable(transaction, scope),
  }
}

async function insertChanges(db: Db, scope: PlanScope): Promise<void> {
  const { integrationId, runId, contents, irremovable } = scope
  const removable = contents.filter((content) => !irremovable.includes(content))
  const planned =
    removable.length === 0
      ? upserts(db, scope)
      : upserts(db, scope).unionAll(removals(db, { ...scope, contents: removable }))
  const place = sql`array_position(${SENDING_ORDER}::text[], planned.content::text)`
  const changes = db.selectFrom(planned.as('planned')).select([
    sql.val(integrationId).as('integration_id'),
    sql<string>`${runId}::uuid`.as('run_id'),
    sql<string>`row_number() over (
        order by planned.action = 'remove', ${place}, planned.unique_id collate "C"
      )`.as('seq'),
    'planned.content',
    'planned.unique_id',
    'planned.action',
    'planned.reason',
    'planned.before',
    'planned.after',
    hashOf('planned', sql.ref('planned.action'), scope).as('change_hash'),
    'planned.inferred',
    sql<Phase>`case when planned.action = 'remove' then 'removals' else 'upserts' end`.as('phase'),
    sql.lit('pending').as('state'),
  ])
  const inserted = await insertFrom(db, 'sync.changes', changes).executeTakeFirstOrThrow()
  await analyzeAfter(db, 'sync.changes', inserted.numInsertedOrUpdatedRows ?? 0n)
  if (!contents.includes('attendees')) return
  if (scope.handover === 'replace')
    await markHandovers(db, scope, hashOf('change', sql.lit('handover'), scope))
  await orderAddressMoves(db, scope)
}

/** @param row SQL alias of the row of a planned change */
function hashOf(row: string, action: Expression<string>, { contents, custom }: PlanScope) {
  const of = (column: string) => sql.ref(`${row}.${column}`)
  return sql<Uint8Array>`sha256(convert_to(jsonb_build_array(
      ${action}, ${of('content')}, ${of('unique_id')}, ${of('reason')}, ${unsignedFields(row, contents, custom)}
    )::text, 'UTF8'))`
}

/** Selects the desired items of an integration, which are the items that the platform should have. */
function desiredItems(db: Db, { integrationId, contents }: PlanScope) {
  return db
    .selectFrom('sync.desired_items')
    .where('integration_id', '=', integrationId)
    .where('content', 'in', [...contents])
    .where('valid_to_run', 'is', null)
    .select(['content', 'unique_id', 'fields'])
    .as('desired')
}

/**
 * Selects the known items of an integration, which are the items that the platform has according to this
 * database.
 */
function knownItems(db: Db, { integrationId, contents }: PlanScope) {
  return db
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .where('content', 'in', [...contents])
    .select(['content', 'unique_id', 'fields'])
    .as('known')
}

/** Selects the desired items that the platform lacks, or that it has with other fields. */
function upserts(db: Db, scope: PlanScope) {
  return db
    .selectFrom(desiredItems(db, scope))
    .leftJoin(knownItems(db, scope), (join) =>
      join.onRef('known.content', '=', 'desired.content').onRef('known.unique_id', '=', 'desired.unique_id'),
    )
    .where(sql<boolean>`desired.fields is distinct from known.fields`)
    .select([
      'desired.content',
      'desired.unique_id',
      sql<Action>`case when known.fields is null then 'create' else 'update' end`.as('action'),
      sql<string>`''`.as('reason'),
      'known.fields as before',
      sql<Fields | null>`desired.fields`.as('after'),
      sql<boolean>`false`.as('inferred'),
    ])
}

/** Selects the platform's items that are not desired, if the reason allows their removal. */
function removals(db: Db, scope: PlanScope) {
  const { integrationId } = scope
  // The record of the item is gone if it has no decision. An item of a forgotten person has a token as its
  // unique ID.
  const reason = sql<string>`case
    when gone.token is not null then ${FORGOTTEN}::text
    else coalesce(decision.reason, 'removed_at_source') end`
  const isInferred = sql<boolean>`(${reason} <> all (${[FORGOTTEN, ...scope.attested]}::text[]))`
  // If some records were unreadable, an item is treated as gone only if its record was read earlier. An item
  // whose record was never read may belong to one of the unreadable records.
  const isGone = sql<boolean>`(${reason} <> 'removed_at_source'
    or known.content <> all (${[...scope.unread]}::text[])
    or exists (
      select from sync.records as record
      where record.integration_id = ${integrationId}
        and record.contents @> array[known.content]
        and record.source_id = known.unique_id
    ) and not exists (
      select from sync.decisions as kept
      where kept.integration_id = ${integrationId}
        and kept.valid_to_run is null
        and kept.content = known.content
        and kept.unique_id = known.unique_id
    ))`
  // A reading by changes does not prove that a record lacks a value, so a missing value must not remove an
  // item.
  const isLeft = sql<boolean>`(coalesce(decision.resource = any (${[...scope.readByChanges]}::text[]), false)
    and decision.reason not like 'excluded\\_by\\_rule:%')`
  return db
    .selectFrom(knownItems(db, scope))
    .leftJoin(desiredItems(db, scope), (join) =>
      join.onRef('desired.content', '=', 'known.content').onRef('desired.unique_id', '=', 'known.unique_id'),
    )
    .leftJoin('sync.decisions as decision', (join) =>
      join
        .on('decision.integration_id', '=', integrationId)
        .on('decision.valid_to_run', 'is', null)
        .onRef('decision.content', '=', 'known.content')
        .onRef('decision.unique_id', '=', 'known.unique_id')
        // A record that this run did not read states nothing in this run. The decision on such a record may
        // have changed only because a lookup record changed.
        .on(({ selectFrom }) =>
          notExists(
            selectFrom('sync.unseen as unseen')
              .select('unseen.source_id')
              .$call(ofRun(scope))
              .whereRef('unseen.resource', '=', 'decision.resource')
              .whereRef('unseen.source_id', '=', 'decision.source_id'),
          ),
        ),
    )
    .leftJoin('sync.forgotten as gone', (join) =>
      join.on('gone.integration_id', '=', integrationId).onRef('gone.token', '=', 'known.unique_id'),
    )
    .where('desired.unique_id', 'is', null)
    .where((where) =>
      where.or([
        // A user requested the removal of the forgotten person, so the removal does not depend on what the
        // run has read.
        where('gone.token', 'is not', null),
        ...(scope.removals === 'keep'
          ? []
          : [
              where.not(isInferred),
              where.and([
                sql<boolean>`known.content = any (${[...scope.complete]}::text[])`,
                ...(scope.unread.length === 0 ? [] : [isGone]),
                ...(scope.readByChanges.length === 0 ? [] : [where.not(isLeft)]),
              ]),
            ]),
      ]),
    )
    .select([
      'known.content',
      'known.unique_id',
      sql<Action>`'remove'`.as('action'),
      reason.as('reason'),
      'known.fields as before',
      'desired.fields as after',
      isInferred.as('inferred'),
    ])
}

/** Counts the removals that the plan would have if the platform could remove the items. */
async function countIrremovable(db: Db, scope: PlanScope): Promise<Plan['irremovable']> {
  const contents = scope.contents.filter((content) => scope.irremovable.includes(content))
  if (contents.length === 0) return {}
  const rows = await db
    .selectFrom(removals(db, { ...scope, contents }).as('removal'))
    .groupBy('content')
    .select(['content', sql<string>`count(*)`.as('count')])
    .execute()
  return Object.fromEntries(rows.map(({ content, count }) => [content, Number(count)]))
}

/**
 * Marks the removals of a run as withheld, so that they are not sent. Removals of forgotten people are sent
 * nevertheless, because a user requested them and they show no fault.
 */
export async function withholdRemovals(transaction: Db, run: RunKey): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable('sync.changes')
    .set({ state: 'withheld' })
    .$call(ofRun(run))
    .where('action', '=', 'remove')
    .where('reason', '<>', FORGOTTEN)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/**
 * Computes the hash of a plan block by block. Therefore neither the database nor this process needs memory
 * for all changes of a large plan at once.
 */
async function hashPlan(db: Db, scope: PlanScope): Promise<string> {
  const blocks = await db
    .selectFrom('sync.changes')
    .$call(ofRun(scope))
    .groupBy(sql`(seq - 1) / 1000`)
    .orderBy(sql`(seq - 1) / 1000`)
    .select(sql<string>`encode(sha256(string_agg(change_hash, ''::bytea order by seq)), 'hex')`.as('digest'))
    .execute()
  const hash = createHash('sha256')
  const { integrationId, target, platformRevision, rollbackTo = [] } = scope
  hash.update(JSON.stringify([CONTRACT_VERSION, integrationId, target, platformRevision, rollbackTo].flat()))
  for (const { digest } of blocks) hash.update(`\n${digest}`)
  return hash.digest('hex')
}

async function countChanges(db: Db, scope: PlanScope): Promise<Plan['changes']> {
  const planned = await db
    .selectFrom('sync.changes')
    .$call(ofRun(scope))
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
    const [create, update, handover, remove] = [of('create'), of('update'), of('handover'), of('remove')]
    const unchanged = items - create - update - handover
    return [content, { create, update, ...(handover > 0 && { handover }), remove, unchanged }] as const
  })
  return Object.fromEntries(counts)
}

/** Counts the known items of the platform that are not desired and that the plan does not remove either. */
async function countKept(db: Db, scope: PlanScope, changes: Plan['changes']): Promise<number> {
  const known = await db
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', scope.integrationId)
    .where('content', 'in', [...scope.contents])
    .select(sql<string>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  return Object.values(changes).reduce(
    (kept, { update, handover = 0, unchanged, remove }) => kept - update - handover - unchanged - remove,
    Number(known.count),
  )
}
