import type { SourceBinding } from '../../loaders/ledger/binding.ts'
import { findSuppressed, type SuppressedItem, suppress } from '../../loaders/ledger/suppressed.ts'
import {
  findSuppressions,
  IMPORTED,
  keepImported,
  type SuppressedAddress,
  type SuppressedId,
  type Suppressions,
} from '../../loaders/people/forgotten.ts'
import type { Db } from '../../sql/tables.ts'
import { type ForgettingKeys, forgettingKeysOf, requireSameKey } from '../context/keys.ts'
import type { BaseContext, Context } from '../context/run-context.ts'
import { eventReadBy, originsOf } from '../context/suppression.ts'
import type { SuppressionCounts } from '../schemas/people.ts'
import { type Kept, type LeftOut, parseSuppressionsFile, toSuppressionsFile } from './suppressions-file.ts'

const ALL = 'this database'

/**
 * Exports the suppressions of all integrations in the database.
 *
 * @returns counts and the text of the file
 * @throws ConfigError if the key is missing, or is not the key with which the database was written
 */
export async function exportSuppressions(context: Context) {
  const keys = forgettingKeysOf(context, ALL)
  const { kysely } = context.database
  const people = await findSuppressions(kysely)
  requireSameKey(keys, ALL, [...people.ids, ...people.addresses])
  const isForgotten = makeIsForgotten(people.ids, keys)
  const items = (await findSuppressed(kysely)).filter((item) => !isForgotten(item))
  return { ...countsOf({ ...people, items }), text: toSuppressionsFile({ ...people, items }, keys, null) }
}

export function countsOf({ ids, addresses, items }: Kept): SuppressionCounts {
  return { ids: ids.length, addresses: addresses.length, items: items.length }
}

/**
 * Imports suppressions that were exported from another database. Each integration that reads the source
 * event, now or later, no longer syncs the people and items in the file.
 *
 * @returns counts of new suppressions, and source events that no configured integration reads
 * @throws ConfigError if the key is missing, or if the file or the database was written with another key;
 *   nothing is imported then
 */
export async function importSuppressions(context: Context, path: string, text: string) {
  const keys = forgettingKeysOf(context, ALL)
  const named = parseSuppressionsFile(
    text,
    path,
    () => keys,
    'name a file as event-sync exported it; nothing was imported',
  )
  const read = new Set(context.config.integrations.map((one) => JSON.stringify(eventReadBy(one))))
  const unread = [...named.ids, ...named.addresses, ...named.items]
    .filter(({ event }) => !read.has(JSON.stringify(event)))
    .map(({ event }) => `source ${event.source}, ${event.source_place}, event ${event.source_event_id}`)
  return context.database.transaction(async (transaction) => {
    const known = await findSuppressions(transaction)
    requireSameKey(keys, ALL, [...known.ids, ...known.addresses])
    const keysOfKnown = new Set([...known.ids, ...known.addresses].map(keyOf))
    const isNew = (one: SuppressedId | SuppressedAddress) => !keysOfKnown.has(keyOf(one))
    const added: Suppressions = { ids: named.ids.filter(isNew), addresses: named.addresses.filter(isNew) }
    const by = context.environment.user
    await keepImported(transaction, added, by)
    const isForgotten = makeIsForgotten([...known.ids, ...named.ids], keys)
    const items: LeftOut[] = []
    for (const item of named.items.filter((one) => !isForgotten(one))) {
      const isNew = await suppress(
        transaction,
        { integrationId: IMPORTED, event: item.event },
        { ...item, by },
      )
      if (isNew) items.push(item)
    }
    return { ...countsOf({ ...added, items }), unread: [...new Set(unread)].sort() }
  })
}

/**
 * Finds the ids of people who were forgotten in any integration of the source event.
 *
 * @returns a function that returns true if an item belongs to such a person
 * @throws ConfigError if the key is missing, or is not the key with which the people were forgotten
 */
export async function findForgottenIds(
  db: Db,
  context: BaseContext,
  { integrationId, event }: SourceBinding,
) {
  const { ids } = await findSuppressions(db, { integrationId, event })
  const forgotten = ids.map((one) => ({ ...one, event }))
  if (forgotten.length === 0) return () => false
  const keys = forgettingKeysOf(context, integrationId)
  requireSameKey(keys, integrationId, forgotten)
  const isForgotten = makeIsForgotten(forgotten, keys)
  return (item: SuppressedItem) => isForgotten({ ...item, event })
}

/** Returns a function that tells whether an item is a person who was forgotten. */
export function makeIsForgotten(forgotten: readonly SuppressedId[], keys: Pick<ForgettingKeys, 'macOfId'>) {
  const known = new Set(forgotten.map(keyOf))
  const origins = originsOf(forgotten)
  return ({ event, content, uniqueId }: Pick<LeftOut, 'event' | 'content' | 'uniqueId'>) =>
    content !== 'agenda' &&
    origins.some((origin) => known.has(keyOf({ event, idMac: keys.macOfId(uniqueId, origin) })))
}

function keyOf(one: Pick<SuppressedId, 'event' | 'idMac'> | SuppressedAddress): string {
  const mac = 'idMac' in one ? one.idMac : one.addressMac
  return JSON.stringify([one.event, Buffer.from(mac).toString('hex')])
}
