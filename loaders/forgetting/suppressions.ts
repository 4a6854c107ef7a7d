import type { Db } from '../../sql/tables.ts'
import type { SourceEvent } from '../ledger/binding.ts'
import { type Forgotten, type ForgottenAddress, keepForgotten, keepForgottenAddresses } from './forgotten.ts'

/** In place of the integration where people were forgotten in another database. */
const IMPORTED = ''

/** An id or an address by which somebody is kept out, and of which source event. */
export type SuppressedId = Omit<Forgotten, 'sealedId'> & {
  readonly event: SourceEvent
  readonly forgottenAt: string
}
export type SuppressedAddress = ForgottenAddress & { readonly event: SourceEvent }

/** All suppressions of a database, each once, whichever integrations have taken it over. */
export interface Suppressions {
  readonly ids: readonly SuppressedId[]
  readonly addresses: readonly SuppressedAddress[]
}

export async function findSuppressions(db: Db): Promise<Suppressions> {
  const ids = await db
    .selectFrom('sync.forgotten')
    .distinctOn(['source', 'source_url', 'source_event_id', 'id_mac'])
    .orderBy('source')
    .orderBy('source_url')
    .orderBy('source_event_id')
    .orderBy('id_mac')
    .orderBy('forgotten_at')
    .selectAll()
    .execute()
  const addresses = await db
    .selectFrom('sync.forgotten_addresses')
    .distinctOn(['source', 'source_url', 'source_event_id', 'address_mac'])
    .orderBy('source')
    .orderBy('source_url')
    .orderBy('source_event_id')
    .orderBy('address_mac')
    .selectAll()
    .execute()
  return {
    ids: ids.map((row) => ({
      event: eventOf(row),
      token: row.token,
      idMac: row.id_mac,
      forgottenIn: row.forgotten_in,
      keyCheck: row.key_check,
      forgottenAt: row.forgotten_at.toISOString(),
    })),
    addresses: addresses.map((row) => ({
      event: eventOf(row),
      addressMac: row.address_mac,
      forgottenIn: row.forgotten_in,
      keyCheck: row.key_check,
    })),
  }
}

function eventOf({ source, source_url, source_event_id }: SourceEvent): SourceEvent {
  return { source, source_url, source_event_id }
}

/** Keeps suppressions of another database for whichever integration reads their source event. */
export async function keepImported(transaction: Db, { ids, addresses }: Suppressions, user: string) {
  for (const { event, forgottenAt, ...id } of ids) {
    const people = { ids: [{ ...id, sealedId: null }], addresses: [] }
    await keepForgotten(transaction, IMPORTED, event, people, { user, at: forgottenAt })
  }
  for (const { event, ...address } of addresses) {
    await keepForgottenAddresses(transaction, IMPORTED, event, [address])
  }
}
