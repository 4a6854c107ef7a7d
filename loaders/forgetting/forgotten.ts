import type { Kysely } from 'kysely'
import type { Tables } from '../../sql/tables.ts'

/** An id that was forgotten. */
export interface Forgotten {
  /** Stands wherever the id stood. */
  readonly token: string
  readonly idMac: Uint8Array
  /** The id, sealed, as long as the platform has to be told whom to remove. */
  readonly sealedId: Uint8Array | null
  readonly keyCheck: Uint8Array
}

/** All that is kept of those whom an integration has forgotten. */
export interface ForgottenPeople {
  readonly ids: readonly Forgotten[]
  readonly addressMacs: readonly Uint8Array[]
}

export async function findForgotten(db: Kysely<Tables>, integrationId: string): Promise<ForgottenPeople> {
  const ids = await db
    .selectFrom('sync.forgotten')
    .where('integration_id', '=', integrationId)
    .orderBy('token')
    .select(['token', 'id_mac', 'sealed_id', 'key_check'])
    .execute()
  const addresses = await db
    .selectFrom('sync.forgotten_addresses')
    .where('integration_id', '=', integrationId)
    .select('address_mac')
    .execute()
  return {
    ids: ids.map(({ token, id_mac, sealed_id, key_check }) => ({
      token,
      idMac: id_mac,
      sealedId: sealed_id,
      keyCheck: key_check,
    })),
    addressMacs: addresses.map(({ address_mac }) => address_mac),
  }
}

/** Keeps by what a person is known again; what is kept already stays as it is. */
export async function keepForgotten(
  transaction: Kysely<Tables>,
  integrationId: string,
  { ids, addressMacs }: ForgottenPeople,
  by: { readonly user: string; readonly at: string },
): Promise<void> {
  for (const { token, idMac, sealedId, keyCheck } of ids) {
    await transaction
      .insertInto('sync.forgotten')
      .values({
        integration_id: integrationId,
        token,
        id_mac: idMac,
        sealed_id: sealedId,
        key_check: keyCheck,
        forgotten_at: by.at,
        forgotten_by: by.user,
      })
      .onConflict((conflict) => conflict.columns(['integration_id', 'id_mac']).doNothing())
      .execute()
  }
  for (const address_mac of addressMacs) {
    await transaction
      .insertInto('sync.forgotten_addresses')
      .values({ integration_id: integrationId, address_mac })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}
