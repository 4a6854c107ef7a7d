import {
  findSuppressions,
  keepImported,
  type SuppressedAddress,
  type SuppressedId,
  type Suppressions,
} from '../../loaders/forgetting/suppressions.ts'
import type { Context } from '../context/run-context.ts'
import { forgettingKeysOf, requireSameKey } from './keys.ts'
import { sourceEventOf } from './suppression.ts'
import { parseSuppressionsFile, toSuppressionsFile } from './suppressions-file.ts'

const ALL = 'this database'

export interface SuppressionCounts {
  readonly ids: number
  readonly addresses: number
}

/**
 * @returns counts, and the text of the file
 * @throws ConfigError where the key is missing, or is not that of the database
 */
export async function exportSuppressions(context: Context) {
  const keys = forgettingKeysOf(context, ALL)
  const all = await findSuppressions(context.database.kysely)
  requireSameKey(keys, ALL, [...all.ids, ...all.addresses])
  return { ids: all.ids.length, addresses: all.addresses.length, text: toSuppressionsFile(all, keys) }
}

/**
 * Keeps the people in a file of another database out of every integration that reads the source event, now or later.
 *
 * @returns counts of what was new, and source events that no integration reads
 * @throws ConfigError where the key is missing, or not that of the file or of the database; nothing is imported then
 */
export async function importSuppressions(context: Context, path: string, text: string) {
  const keys = forgettingKeysOf(context, ALL)
  const named = parseSuppressionsFile(text, path, keys)
  const read = new Set(context.config.integrations.map((one) => JSON.stringify(sourceEventOf(one))))
  const unread = [...named.ids, ...named.addresses]
    .filter(({ event }) => !read.has(JSON.stringify(event)))
    .map(({ event }) => `source ${event.source}, ${event.source_url}, event ${event.source_event_id}`)
  return context.database.transaction(async (transaction) => {
    const known = await findSuppressions(transaction)
    requireSameKey(keys, ALL, [...known.ids, ...known.addresses])
    const keysOfKnown = new Set([...known.ids, ...known.addresses].map(keyOf))
    const isNew = (one: SuppressedId | SuppressedAddress) => !keysOfKnown.has(keyOf(one))
    const added: Suppressions = { ids: named.ids.filter(isNew), addresses: named.addresses.filter(isNew) }
    await keepImported(transaction, added, context.environment.user)
    return { ids: added.ids.length, addresses: added.addresses.length, unread: [...new Set(unread)].sort() }
  })
}

function keyOf(one: SuppressedId | SuppressedAddress): string {
  const mac = 'idMac' in one ? one.idMac : one.addressMac
  return JSON.stringify([one.event, Buffer.from(mac).toString('hex')])
}
