import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely'
import { notExists } from '../../sql/conditions.ts'
import { insertFrom } from '../../sql/insert-from.ts'
import type { Db, Tables } from '../../sql/tables.ts'
import type { SourceBinding, SourceEvent } from '../ledger/binding.ts'
import { makePlansStale } from '../ledger/stored-plan.ts'
import { dropLeftReadings } from '../staging/readings.ts'
import { CONTENTS_OF_PEOPLE, NO_RUN } from './erasure.ts'

export interface Forgotten {
  readonly token: string
  readonly idMac: Uint8Array
  /**
   * The encrypted id. The encrypted id is null after the platform has removed the person, because only the
   * removal needs the id.
   */
  readonly sealedId: Uint8Array | null
  /**
   * Integration in which the person was forgotten. `idMac` is a keyed hash of this integration's id and the
   * person's id.
   */
  readonly forgottenIn: string
  readonly keyCheck: Uint8Array
}

export interface ForgottenAddress {
  readonly addressMac: Uint8Array
  readonly forgottenIn: string
  readonly keyCheck: Uint8Array
}

const OF_EVENT = ['source', 'source_place', 'source_event_id'] as const
const ID = ['token', 'id_mac as idMac', 'forgotten_in as forgottenIn', 'key_check as keyCheck'] as const
const ADDRESS = ['address_mac as addressMac', 'forgotten_in as forgottenIn', 'key_check as keyCheck'] as const

/** Everything that this product keeps about the people whom an integration has forgotten. */
export interface ForgottenPeople {
  readonly ids: readonly Forgotten[]
  readonly addresses: readonly ForgottenAddress[]
}

export async function findForgotten(db: Db, integrationId: string): Promise<ForgottenPeople> {
  const ids = await db
    .selectFrom('sync.forgotten')
    .where('integration_id', '=', integrationId)
    // If several integrations have forgotten the same person, the token of this integration sorts first and
    // is used.
    .orderBy((eb) => eb('forgotten_in', '<>', integrationId))
    .orderBy('token')
    .select([...ID, 'sealed_id as sealedId'])
    .execute()
  const addresses = await db
    .selectFrom('sync.forgotten_addresses')
    .where('integration_id', '=', integrationId)
    .select(ADDRESS)
    .execute()
  return { ids, addresses }
}

/**
 * Stores the hashes by which forgotten people are recognised. Hashes that are stored already stay unchanged.
 */
export async function keepForgotten(
  transaction: Db,
  integrationId: string,
  event: SourceEvent,
  { ids, addresses }: ForgottenPeople,
  by: { readonly user: string; readonly at: string },
): Promise<void> {
  for (const { token, idMac, sealedId, forgottenIn, keyCheck } of ids) {
    await transaction
      .insertInto('sync.forgotten')
      .values({
        integration_id: integrationId,
        ...event,
        token,
        id_mac: idMac,
        sealed_id: sealedId,
        forgotten_in: forgottenIn,
        key_check: keyCheck,
        forgotten_at: by.at,
        forgotten_by: by.user,
      })
      .onConflict((conflict) => conflict.columns(['integration_id', 'id_mac']).doNothing())
      .execute()
  }
  await keepForgottenAddresses(transaction, integrationId, event, addresses)
}

async function keepForgottenAddresses(
  transaction: Db,
  integrationId: string,
  event: SourceEvent,
  addresses: readonly ForgottenAddress[],
): Promise<void> {
  for (const { addressMac, forgottenIn, keyCheck } of addresses) {
    await transaction
      .insertInto('sync.forgotten_addresses')
      .values({
        integration_id: integrationId,
        ...event,
        address_mac: addressMac,
        forgotten_in: forgottenIn,
        key_check: keyCheck,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

const OF_MAC = [...OF_EVENT, 'forgotten_in', 'key_check'] as const
const OF_PERSON = [...OF_MAC, 'token', 'id_mac', 'forgotten_at', 'forgotten_by'] as const

/**
 * Copies to this integration the people who were forgotten elsewhere: by another integration of the source
 * event, or in another database.
 */
export async function takeOverForgotten(transaction: Db, integrationId: string, event: SourceEvent) {
  let taken = 0n
  for (const [table, columns] of [
    ['sync.forgotten', OF_PERSON],
    ['sync.forgotten_addresses', [...OF_MAC, 'address_mac']],
  ] as const) {
    const rows = transaction
      .selectFrom(table as 'sync.forgotten')
      .where('integration_id', '<>', integrationId)
      .where(({ and }) => and({ ...event }))
      .select((eb) => [
        eb.cast<string>(eb.val(integrationId), 'text').as('integration_id'),
        ...(columns as typeof OF_PERSON),
      ])
    const { numInsertedOrUpdatedRows = 0n } = await insertFrom(transaction, table as 'sync.forgotten', rows)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    taken += numInsertedOrUpdatedRows
  }
  if (taken === 0n) return
  await dropLeftReadings(transaction, integrationId, NO_RUN)
  await makePlansStale(transaction, integrationId)
}

/**
 * Keeps the forgotten people of an integration out of a source event, for every integration that reads the
 * event now or later.
 */
export async function shareForgotten(
  transaction: Db,
  integrationId: string,
  event: SourceEvent,
  by: { readonly user: string; readonly at: string },
) {
  const { ids, addresses } = await findForgotten(transaction, integrationId)
  const unsealed = ids.map((id) => ({ ...id, sealedId: null }))
  await keepForgotten(transaction, IMPORTED, event, { ids: unsealed, addresses }, by)
  return ids.length
}

/**
 * Integration id of suppressions that belong to no integration of this database. An example is a suppression
 * that was imported from another database.
 */
export const IMPORTED = ''

/** The hash of an id that keeps a person out of the sync, and the source event for which it applies. */
export type SuppressedId = Omit<Forgotten, 'sealedId'> & {
  readonly event: SourceEvent
  readonly forgottenAt: string
}
export type SuppressedAddress = ForgottenAddress & { readonly event: SourceEvent }

/**
 * Suppressions. If several integrations have taken over a suppression, the list contains the suppression
 * once.
 */
export interface Suppressions {
  readonly ids: readonly SuppressedId[]
  readonly addresses: readonly SuppressedAddress[]
}

/**
 * Finds suppressions.
 *
 * @param of an integration, of which its own suppressions and the suppressions of its source event are found;
 *   if left out, all suppressions are found
 */
export async function findSuppressions(db: Db, of?: SourceBinding): Promise<Suppressions> {
  const ids = await db
    .selectFrom('sync.forgotten')
    .where(isKeptFor(of))
    .distinctOn([...OF_EVENT, 'id_mac'])
    .orderBy('source')
    .orderBy('source_place')
    .orderBy('source_event_id')
    .orderBy('id_mac')
    .orderBy('forgotten_at')
    .select([...OF_EVENT, ...ID, 'forgotten_at as forgottenAt'])
    .execute()
  const addresses = await db
    .selectFrom('sync.forgotten_addresses')
    .where(isKeptFor(of))
    .distinctOn([...OF_EVENT, 'address_mac'])
    .orderBy('source')
    .orderBy('source_place')
    .orderBy('source_event_id')
    .orderBy('address_mac')
    .select([...OF_EVENT, ...ADDRESS])
    .execute()
  return {
    ids: ids.map((row) => ({ ...withEvent(row), forgottenAt: row.forgottenAt.toISOString() })),
    addresses: addresses.map(withEvent),
  }
}

function isKeptFor(of: SourceBinding | undefined) {
  const eb = expressionBuilder<Tables, 'sync.forgotten'>()
  if (of === undefined) return eb.lit(true)
  return eb.or([eb('integration_id', '=', of.integrationId), eb.and({ ...of.event })])
}

function withEvent<Row extends SourceEvent>({ source, source_place, source_event_id, ...row }: Row) {
  return { event: { source, source_place, source_event_id }, ...row }
}

/**
 * Stores suppressions that come from another database. An imported suppression applies to all integrations
 * that read its source event.
 */
export async function keepImported(transaction: Db, { ids, addresses }: Suppressions, user: string) {
  for (const { event, forgottenAt, ...id } of ids) {
    const people = { ids: [{ ...id, sealedId: null }], addresses: [] }
    await keepForgotten(transaction, IMPORTED, event, people, { user, at: forgottenAt })
  }
  for (const { event, ...address } of addresses) {
    await keepForgottenAddresses(transaction, IMPORTED, event, [address])
  }
}

/** Returns the given ids that are ids of speakers or attendees on the platform. */
export async function findPlatformIds(db: Db, integrationId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Set<string>()
  const rows = await db
    .selectFrom('sync.platform_items')
    .where('integration_id', '=', integrationId)
    .where('content', 'in', CONTENTS_OF_PEOPLE)
    .where('unique_id', 'in', [...ids])
    .distinct()
    .select('unique_id')
    .execute()
  return new Set(rows.map(({ unique_id }) => unique_id))
}

/** Counts items of forgotten people that the platform still has. */
export async function countOnPlatform(db: Db, integrationId: string): Promise<number> {
  return (await countKeptOut(db, [integrationId])).get(integrationId)?.forgotten ?? 0
}

/** Numbers of items that are still on the platform although they must stay out of the sync. */
export interface KeptOut {
  /** Items of people who were forgotten with `event-sync forget`. */
  readonly forgotten: number
  /** Items that a user left out by hand. */
  readonly leftOut: number
}

/**
 * Counts, for each integration, the items that are still on the platform although they must stay out of the
 * sync. One query for all.
 */
export async function countKeptOut(
  db: Db,
  integrationIds: readonly string[],
): Promise<ReadonlyMap<string, KeptOut>> {
  const asked = sql<string>`any(${[...integrationIds]}::text[])`
  const forgotten = db
    .selectFrom('sync.forgotten as gone')
    .innerJoin('sync.platform_items as item', (join) =>
      join
        .onRef('item.integration_id', '=', 'gone.integration_id')
        .onRef('item.unique_id', '=', 'gone.token'),
    )
    .where('gone.integration_id', '=', asked)
    .groupBy('item.integration_id')
    .select(({ fn, lit }) => [
      'item.integration_id',
      fn.countAll<string>().as('forgotten'),
      lit(0).as('leftOut'),
    ])
  const leftOut = db
    .selectFrom('sync.suppressed as out')
    .innerJoin('sync.integrations as bound', (join) =>
      join
        .onRef('bound.source', '=', 'out.source')
        .onRef('bound.source_place', '=', 'out.source_place')
        .onRef('bound.source_event_id', '=', 'out.source_event_id'),
    )
    .innerJoin('sync.platform_items as item', (join) =>
      join
        .onRef('item.integration_id', '=', 'bound.integration_id')
        .onRef('item.content', '=', 'out.content')
        .onRef('item.unique_id', '=', 'out.unique_id'),
    )
    .where('bound.integration_id', '=', asked)
    .groupBy('item.integration_id')
    // Several integrations may read the same event and leave out the same item, so the item is counted once.
    .select(({ lit }) => [
      'item.integration_id',
      lit(0).as('forgotten'),
      sql<string>`count(distinct (item.content, item.unique_id))`.as('leftOut'),
    ])
  const rows = await db
    .selectFrom(
      sql<{
        integration_id: string
        forgotten: string
        leftOut: string
      }>`(${forgotten} union all ${leftOut})`.as('kept'),
    )
    .groupBy('kept.integration_id')
    .select(({ fn }) => [
      'kept.integration_id',
      fn.sum<string>('kept.forgotten').as('forgotten'),
      fn.sum<string>('kept.leftOut').as('leftOut'),
    ])
    .execute()
  return new Map(
    rows.map(({ integration_id, forgotten, leftOut }) => [
      integration_id,
      { forgotten: Number(forgotten), leftOut: Number(leftOut) },
    ]),
  )
}

/**
 * Finds the runs whose operations file contains the id of a forgotten person. The operations file needs the
 * id, because the platform must remove the person by this id.
 */
export async function findNamingRuns(db: Db, integrationId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('sync.changes as change')
    .innerJoin('sync.forgotten as gone', (join) =>
      join
        .onRef('gone.integration_id', '=', 'change.integration_id')
        .onRef('gone.token', '=', 'change.unique_id'),
    )
    .where('change.integration_id', '=', integrationId)
    .where('change.reason', '=', 'forgotten')
    .where('change.state', '=', 'applied')
    .where('gone.sealed_id', 'is not', null)
    .distinct()
    .orderBy('change.run_id')
    .select('change.run_id')
    .execute()
  return rows.map(({ run_id }) => run_id)
}

/**
 * Deletes the encrypted ids of forgotten people after the operations files were delivered to the platform.
 * The function also marks the packs with these ids, so that the packs are written again without the ids.
 */
export async function markDelivered(transaction: Db, integrationId: string): Promise<void> {
  const runs = await findNamingRuns(transaction, integrationId)
  await markForReissue(transaction, integrationId, (eb) => eb.or(runs.map((run) => eb('run_id', '=', run))))
  await giveUpSealedIds(transaction, integrationId)
}

/** Marks the existing packs of some runs, so that these packs are written again. */
export async function markForReissue(
  transaction: Db,
  integrationId: string,
  isDue: (eb: ExpressionBuilder<Tables, 'sync.runs'>) => Expression<SqlBool>,
): Promise<void> {
  await transaction
    .updateTable('sync.runs')
    .set({ reissue_due: true })
    .where('integration_id', '=', integrationId)
    .where('manifest_sha256', 'is not', null)
    .where('purged_at', 'is', null)
    .where('pack_purged_at', 'is', null)
    .where(isDue)
    .execute()
}

/**
 * Stores the encrypted ids of forgotten people who are still on the platform. @param sealed encrypted ids by
 * token
 */
export async function keepSealedIds(
  transaction: Db,
  integrationId: string,
  sealed: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  for (const [token, sealed_id] of sealed) {
    await transaction
      .updateTable('sync.forgotten')
      .set({ sealed_id })
      .where(({ and }) => and({ integration_id: integrationId, token }))
      .execute()
  }
}

export async function giveUpSealedIds(transaction: Db, integrationId: string): Promise<void> {
  await transaction
    .updateTable('sync.forgotten as gone')
    .set({ sealed_id: null })
    .where('gone.integration_id', '=', integrationId)
    .where('gone.sealed_id', 'is not', null)
    .where(({ selectFrom }) =>
      notExists(
        selectFrom('sync.platform_items as item')
          .where('item.integration_id', '=', integrationId)
          .whereRef('item.unique_id', '=', 'gone.token')
          .select('item.unique_id'),
      ),
    )
    .execute()
}
