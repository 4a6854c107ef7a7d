import type { ExpressionBuilder, Kysely } from 'kysely'
import { asAny } from '../../sql/staging-tables.ts'
import type { Tables } from '../../sql/tables.ts'
import type { AnyPeople } from '../../transforms/source-people.ts'
import { CONTENTS_OF_PEOPLE } from './tables.ts'

/** All by which an integration knows one person. */
export interface Person {
  /** Ids of the records; more than one where the person came with and without an id. */
  readonly ids: readonly string[]
  /** E-mail addresses of all versions in lower case, but for those that records of others have too. */
  readonly addresses: readonly string[]
  /** Records of others with an address of this person. */
  readonly sharing: number
}

/** By what a person is looked for. */
export type Sought = { readonly id: string } | { readonly address: string }

/**
 * Finds a person by an id or an address, in all that was ever read or sent.
 *
 * Whoever is looked for by an address is everybody who has it. By an id it is one person: an address that others have
 * too, such as that of an office, is left alone, since theirs would be dropped with it.
 *
 * @returns null where nothing is known
 */
export async function findPerson(
  db: Kysely<Tables>,
  integrationId: string,
  people: AnyPeople,
  sought: Sought,
): Promise<Person | null> {
  const ids = 'id' in sought ? [sought.id] : await idsOf(db, integrationId, people, [sought.address])
  const own = await addressesOf(db, integrationId, people, ids)
  if ('id' in sought && own.length === 0 && !(await isKnown(db, integrationId, people, sought.id)))
    return null
  if (ids.length === 0) return null
  // A user of Source A who had no id stands there by the address.
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

/** Ids of all records and items that ever had one of the addresses. */
async function idsOf(
  db: Kysely<Tables>,
  integrationId: string,
  people: AnyPeople,
  addresses: readonly string[],
): Promise<readonly string[]> {
  if (addresses.length === 0) return []
  const staged = await stagedIdsOf(db, integrationId, people, addresses)
  const items = await db
    .selectFrom('sync.platform_items as item')
    .where('item.integration_id', '=', integrationId)
    .where('item.content', '=', 'attendees')
    .where((eb) => eb(addressIn(eb), 'in', [...addresses]))
    .select('item.unique_id')
    .execute()
  return [...new Set([...staged, ...items.map(({ unique_id }) => unique_id)])].sort()
}

/** Ids of all records that ever had one of the addresses. */
export async function stagedIdsOf(
  db: Kysely<Tables>,
  integrationId: string,
  { table, address }: AnyPeople,
  addresses: readonly string[],
): Promise<readonly string[]> {
  if (addresses.length === 0) return []
  const staged = await db
    .selectFrom(`${asAny(table)} as person`)
    .where('person.integration_id', '=', integrationId)
    .where((eb) => eb(eb.fn<string>('lower', [`person.${address as 'email_address'}`]), 'in', [...addresses]))
    .distinct()
    .select('person.source_id')
    .execute()
  return staged.map(({ source_id }) => source_id)
}

async function addressesOf(
  db: Kysely<Tables>,
  integrationId: string,
  people: AnyPeople,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return []
  const { table, address } = people
  const staged = await db
    .selectFrom(`${asAny(table)} as person`)
    .where('person.integration_id', '=', integrationId)
    .where('person.source_id', 'in', [...ids])
    .distinct()
    .select((eb) => eb.fn<string | null>('lower', [`person.${address as 'email_address'}`]).as('address'))
    .execute()
  const items = await db
    .selectFrom('sync.platform_items as item')
    .where('item.integration_id', '=', integrationId)
    .where('item.content', '=', 'attendees')
    .where('item.unique_id', 'in', [...ids])
    .select((eb) => addressIn(eb).as('address'))
    .execute()
  const found = [...staged, ...items].flatMap((row) => (row.address === null ? [] : [row.address]))
  return [...new Set(found)].sort()
}

function addressIn(eb: ExpressionBuilder<Tables & { item: Tables['sync.platform_items'] }, 'item'>) {
  return eb.fn<string | null>('lower', [eb.ref('item.fields', '->>').key('emailAddress')])
}

/** Whether an id that has no record any more stands anywhere else. */
async function isKnown(
  db: Kysely<Tables>,
  integrationId: string,
  { resource }: AnyPeople,
  id: string,
): Promise<boolean> {
  const found = await Promise.all([
    db
      .selectFrom('sync.decisions')
      .where('integration_id', '=', integrationId)
      .where('content', 'in', CONTENTS_OF_PEOPLE)
      .where('source_id', '=', id)
      .limit(1)
      .select('source_id as id')
      .executeTakeFirst(),
    db
      .selectFrom('sync.platform_items')
      .where('integration_id', '=', integrationId)
      .where('content', 'in', CONTENTS_OF_PEOPLE)
      .where('unique_id', '=', id)
      .limit(1)
      .select('unique_id as id')
      .executeTakeFirst(),
    db
      .selectFrom('sync.unstaged')
      .where('integration_id', '=', integrationId)
      .where('resource', '=', resource)
      .where('source_id', '=', id)
      .limit(1)
      .select('source_id as id')
      .executeTakeFirst(),
    db
      .selectFrom('sync.changes')
      .where('integration_id', '=', integrationId)
      .where('content', 'in', CONTENTS_OF_PEOPLE)
      .where('unique_id', '=', id)
      .limit(1)
      .select('unique_id as id')
      .executeTakeFirst(),
  ])
  return found.some((row) => row !== undefined)
}
