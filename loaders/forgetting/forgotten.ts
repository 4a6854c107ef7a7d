import type { Db } from '../../sql/tables.ts'
import type { SourceEvent } from '../ledger/binding.ts'
import { dropLeftReadings } from '../staging/readings.ts'

export interface Forgotten {
  readonly token: string
  readonly idMac: Uint8Array
  /** The id, sealed, as long as the platform has to be told whom to remove. */
  readonly sealedId: Uint8Array | null
  /** Integration in which the person was forgotten, which is part of what the sum is of. */
  readonly forgottenIn: string
  readonly keyCheck: Uint8Array
}

export interface ForgottenAddress {
  readonly addressMac: Uint8Array
  readonly forgottenIn: string
  /** Null where a version before kept it, which did not note the key. */
  readonly keyCheck: Uint8Array | null
}

/** All that is kept of those whom an integration has forgotten. */
export interface ForgottenPeople {
  readonly ids: readonly Forgotten[]
  readonly addresses: readonly ForgottenAddress[]
}

export async function findForgotten(db: Db, integrationId: string): Promise<ForgottenPeople> {
  const ids = await db
    .selectFrom('sync.forgotten')
    .where('integration_id', '=', integrationId)
    // A person whom two integrations have forgotten, each for itself, keeps the token of this one.
    .orderBy((eb) => eb('forgotten_in', '<>', integrationId))
    .orderBy('token')
    .select(['token', 'id_mac', 'sealed_id', 'forgotten_in', 'key_check'])
    .execute()
  const addresses = await db
    .selectFrom('sync.forgotten_addresses')
    .where('integration_id', '=', integrationId)
    .select(['address_mac', 'forgotten_in', 'key_check'])
    .execute()
  return {
    ids: ids.map(({ token, id_mac, sealed_id, forgotten_in, key_check }) => ({
      token,
      idMac: id_mac,
      sealedId: sealed_id,
      forgottenIn: forgotten_in,
      keyCheck: key_check,
    })),
    addresses: addresses.map(({ address_mac, forgotten_in, key_check }) => ({
      addressMac: address_mac,
      forgottenIn: forgotten_in,
      keyCheck: key_check,
    })),
  }
}

/** Keeps by what a person is known again; what is kept already stays as it is. */
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

export async function keepForgottenAddresses(
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

const OF_EVENT = ['source', 'source_url', 'source_event_id'] as const
const OF_ADDRESS = [...OF_EVENT, 'address_mac', 'forgotten_in', 'key_check'] as const
const OF_FORGETTING = ['forgotten_in', 'key_check', 'forgotten_at', 'forgotten_by'] as const
const OF_PERSON = [...OF_EVENT, 'token', 'id_mac', ...OF_FORGETTING] as const

/** Takes over people who were forgotten elsewhere: by another integration of the source event, or in another database. */
export async function takeOverForgotten(transaction: Db, integrationId: string, event: SourceEvent) {
  const people = await transaction
    .insertInto('sync.forgotten')
    .columns(['integration_id', ...OF_PERSON])
    .expression((eb) =>
      eb
        .selectFrom('sync.forgotten')
        .where('integration_id', '<>', integrationId)
        .where(({ and }) => and({ ...event }))
        .select([eb.cast<string>(eb.val(integrationId), 'text').as('integration_id'), ...OF_PERSON]),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  const addresses = await transaction
    .insertInto('sync.forgotten_addresses')
    .columns(['integration_id', ...OF_ADDRESS])
    .expression((eb) =>
      eb
        .selectFrom('sync.forgotten_addresses')
        .where('integration_id', '<>', integrationId)
        .where(({ and }) => and({ ...event }))
        .select([eb.cast<string>(eb.val(integrationId), 'text').as('integration_id'), ...OF_ADDRESS]),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  const taken = (people.numInsertedOrUpdatedRows ?? 0n) + (addresses.numInsertedOrUpdatedRows ?? 0n)
  if (taken === 0n) return
  await dropHalfRead(transaction, integrationId)
  await makePlansStale(transaction, integrationId)
}

/** Drops what runs that died have left half read, which may hold anybody; no run is under way. */
export function dropHalfRead(transaction: Db, integrationId: string): Promise<void> {
  return dropLeftReadings(transaction, integrationId, NO_RUN)
}

/** A stored plan with the person in it must not be applied any more, and what was made of the person is rebuilt. */
export async function makePlansStale(transaction: Db, integrationId: string): Promise<void> {
  await transaction
    .updateTable('sync.integrations')
    .set((eb) => ({ base: eb('base', '+', eb.lit(1)), transform_basis: null }))
    .where('integration_id', '=', integrationId)
    .execute()
}

const NO_RUN = '00000000-0000-0000-0000-000000000000'
