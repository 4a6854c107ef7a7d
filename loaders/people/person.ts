import { type ExpressionBuilder, sql } from 'kysely'
import type { Db, Tables } from '../../sql/tables.ts'
import { asAny } from '../../transforms/declare/resource.ts'
import type { AnyPeople, AnyTransform } from '../../transforms/declare/source.ts'
import { addressKey } from '../../transforms/rules/addresses.ts'
import { isOneOfAddresses } from '../../transforms/rules/one-of-addresses.ts'
import { isPersonalId } from '../../transforms/rules/personal-ids.ts'
import type { SourceBinding } from '../ledger/binding.ts'
import { findSuppressedPeople } from '../ledger/suppressed.ts'
import { hasRow } from './erase-rows.ts'
import { PLACES, stagedPlaces } from './personal-data-places.ts'

/** The ids and addresses by which an integration knows one person. */
export interface Person {
  /**
   * Ids of the person's records. A person has several ids if the source delivered the person both with and
   * without an id.
   */
  readonly ids: readonly string[]
  /**
   * E-mail addresses in all versions of the person's records, in the form that `addressKey` returns.
   * Addresses that other people have too are not in the list.
   */
  readonly addresses: readonly string[]
  /** Number of other people who also have an address of this person. */
  readonly sharing: number
}

export type Sought = { readonly id: string } | { readonly address: string }

/**
 * Finds a person by an id or an address, in everything that this product ever read or sent.
 *
 * A search by address finds everyone who has the address. A search by id finds one person. The result of a
 * search by id leaves out an address that other people have too, such as an office's address. If a shared
 * address were used, the other people who have it would be erased too.
 */
export async function findPerson(
  db: Db,
  sourceBinding: SourceBinding,
  source: AnyTransform,
  sought: Sought,
): Promise<Person | null> {
  const { integrationId } = sourceBinding
  const { people } = source
  const ids = 'id' in sought ? [sought.id] : await findIdsByAddress(db, sourceBinding, people, sought.address)
  const known = await addressesOf(db, integrationId, people, ids)
  const own = 'id' in sought ? known : [...new Set([...known, sought.address])].sort()
  if ('id' in sought && own.length === 0) {
    const isKnown =
      (await hasRow(
        { transaction: db, integrationId, source },
        [...stagedPlaces(source), ...PLACES],
        sought.id,
      )) || (await findSuppressedPeople(db, sourceBinding, ids, [])).length > 0
    if (!isKnown) return null
  }
  if (ids.length === 0) return null
  // A user of Source A without an id has the e-mail address as the id.
  const keyed = [...ids, ...own]
  const others = new Map<string, readonly string[]>()
  for (const address of own) {
    const having = await idsOf(db, integrationId, people, [address])
    others.set(
      address,
      having.filter((id) => !keyed.includes(id)),
    )
  }
  const addresses = own.filter(
    (address) => ('address' in sought && address === sought.address) || others.get(address)?.length === 0,
  )
  const twins = await idsOf(db, integrationId, people, addresses)
  return {
    ids: [...new Set([...ids, ...twins.filter((id) => addresses.includes(id))])],
    addresses,
    sharing: new Set([...others.values()].flat()).size,
  }
}

/**
 * Returns the ids of all people who have or once had the given address. The result includes the address
 * itself if a user left it out by hand as an id.
 */
export async function findIdsByAddress(
  db: Db,
  sourceBinding: SourceBinding,
  people: AnyPeople,
  address: string,
): Promise<readonly string[]> {
  const known = await idsOf(db, sourceBinding.integrationId, people, [address])
  const leftOut = await findSuppressedPeople(db, sourceBinding, known, [address])
  return [...new Set([...known, ...leftOut])].sort()
}

async function idsOf(db: Db, integrationId: string, people: AnyPeople, addresses: readonly string[]) {
  if (addresses.length === 0) return []
  const staged = await stagedIdsOf(db, integrationId, people, addresses)
  const items = await db
    .selectFrom('sync.platform_items as item')
    .where(({ and }) => and({ 'item.integration_id': integrationId, 'item.content': 'attendees' }))
    .where((eb) => isOneOfAddresses(addressIn(eb), addresses))
    .select('item.unique_id')
    .execute()
  return [...new Set([...staged, ...items.map(({ unique_id }) => unique_id)])].sort()
}

export async function stagedIdsOf(
  db: Db,
  integrationId: string,
  { table, address }: AnyPeople,
  addresses: readonly string[],
): Promise<readonly string[]> {
  if (addresses.length === 0 || address === null) return []
  const staged = await db
    .selectFrom(`${asAny(table)} as person`)
    .where('person.integration_id', '=', integrationId)
    .where((eb) => isOneOfAddresses(eb.ref(`person.${address as 'email_address'}`), addresses))
    .distinct()
    .select('person.source_id')
    .execute()
  return staged.map(({ source_id }) => source_id)
}

/**
 * Returns the given ids that are personal (see `isPersonalId`). The values are e-mail addresses of people who
 * were ever read or are on the platform, and ids that look like an address.
 */
export async function findPersonalIds(
  db: Db,
  integrationId: string,
  people: AnyPeople,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const found = await findAddresses(db, integrationId, people, 'address', ids)
  const byKey = Map.groupBy(found, addressKey)
  return new Set(ids.filter((id) => isPersonalId(id, { addresses: byKey.get(addressKey(id)) ?? [] })))
}

async function addressesOf(db: Db, integrationId: string, people: AnyPeople, ids: readonly string[]) {
  if (ids.length === 0) return []
  const found = await findAddresses(db, integrationId, people, 'id', ids)
  return [...new Set(found.map(addressKey))].sort()
}

/**
 * Finds the addresses of people, as they were read from the source or are on the platform.
 *
 * @param by the kind of `sought`: the ids of people, or their addresses in any spelling
 */
async function findAddresses(
  db: Db,
  integrationId: string,
  { table, address }: AnyPeople,
  by: 'id' | 'address',
  sought: readonly string[],
): Promise<readonly string[]> {
  const staged =
    address === null
      ? []
      : await db
          .selectFrom(`${asAny(table)} as person`)
          .where('person.integration_id', '=', integrationId)
          .where((eb) =>
            by === 'id'
              ? eb('person.source_id', 'in', [...sought])
              : isOneOfAddresses(eb.ref(`person.${address as 'email_address'}`), sought),
          )
          .distinct()
          .select(`person.${address as 'email_address'} as address`)
          .execute()
  const items = await db
    .selectFrom('sync.platform_items as item')
    .where(({ and }) => and({ 'item.integration_id': integrationId, 'item.content': 'attendees' }))
    .where((eb) =>
      by === 'id' ? eb('item.unique_id', 'in', [...sought]) : isOneOfAddresses(addressIn(eb), sought),
    )
    .select((eb) => addressIn(eb).as('address'))
    .execute()
  return [...staged, ...items].flatMap(({ address: found }) => found ?? [])
}

function addressIn(eb: ExpressionBuilder<Tables & { item: Tables['sync.platform_items'] }, 'item'>) {
  return sql<string | null>`${eb.ref('item.fields', '->>').key('emailAddress')}`
}
