import { timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import {
  findSuppressions,
  IMPORTED,
  keepImported,
  type SuppressedAddress,
  type SuppressedId,
  type Suppressions,
} from '../../loaders/forgetting/forgotten.ts'
import type { SourceBinding, SourceEvent } from '../../loaders/ledger/binding.ts'
import {
  bindSuppressed,
  findSuppressed,
  type SuppressedItem,
  suppress,
} from '../../loaders/ledger/suppressed.ts'
import { CONTENTS, type Db } from '../../sql/tables.ts'
import type { BaseContext, Context } from '../context/run-context.ts'
import { ConfigError, UserError } from '../settings/errors.ts'
import { type ForgettingKeys, forgettingKeysOf, requireSameKey } from './keys.ts'
import { sourceBindingOf, sourceEventOf } from './suppression.ts'

const ALL = 'this database'

export interface SuppressionCounts {
  readonly ids: number
  readonly addresses: number
  /** Left out by hand. */
  readonly items: number
}

type LeftOut = SuppressedItem & { readonly event: SourceEvent; readonly since: string }

/** What is kept of forgotten people, and what is left out by hand. */
interface Kept extends Suppressions {
  readonly items: readonly LeftOut[]
}

/**
 * @returns counts, and the text of the file
 * @throws ConfigError where the key is missing, or is not that of the database
 */
export async function exportSuppressions(context: Context) {
  const keys = forgettingKeysOf(context, ALL)
  const { kysely } = context.database
  for (const integration of context.config.integrations)
    await bindSuppressed(kysely, sourceBindingOf(integration))
  const people = await findSuppressions(kysely)
  requireSameKey(keys, ALL, [...people.ids, ...people.addresses])
  const isForgotten = makeIsForgotten(people.ids, keys)
  const items = (await findSuppressed(kysely)).filter((item) => !isForgotten(item))
  return { ...countsOf({ ...people, items }), text: toSuppressionsFile({ ...people, items }, keys) }
}

function countsOf({ ids, addresses, items }: Kept): SuppressionCounts {
  return { ids: ids.length, addresses: addresses.length, items: items.length }
}

/**
 * Keeps the people and items in a file of another database out of every integration that reads the source event, now or later.
 *
 * @returns counts of what was new, and source events that no integration reads
 * @throws ConfigError where the key is missing, or not that of the file or of the database; nothing is imported then
 */
export async function importSuppressions(context: Context, path: string, text: string) {
  const keys = forgettingKeysOf(context, ALL)
  const named = parseSuppressionsFile(text, path, keys)
  const read = new Set(context.config.integrations.map((one) => JSON.stringify(sourceEventOf(one))))
  const unread = [...named.ids, ...named.addresses, ...named.items]
    .filter(({ event }) => !read.has(JSON.stringify(event)))
    .map(({ event }) => `source ${event.source}, ${event.source_url}, event ${event.source_event_id}`)
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
 * @returns whether an id is that of somebody whom an integration of the source event has forgotten
 * @throws ConfigError where the key is missing, or is not the one that they are known by
 */
export async function findForgottenIds(
  db: Db,
  context: BaseContext,
  { integrationId, event }: SourceBinding,
) {
  const { ids } = await findSuppressions(db)
  const forgotten = ids.filter((one) => isDeepStrictEqual(one.event, event))
  if (forgotten.length === 0) return () => false
  const keys = forgettingKeysOf(context, integrationId)
  requireSameKey(keys, integrationId, forgotten)
  const isForgotten = makeIsForgotten(forgotten, keys)
  return (item: SuppressedItem) => isForgotten({ ...item, event })
}

/** Whether an item is a person who was forgotten. */
function makeIsForgotten(forgotten: readonly SuppressedId[], keys: Pick<ForgettingKeys, 'macOfId'>) {
  const known = new Set(forgotten.map(keyOf))
  const origins = [...new Set(forgotten.map(({ forgottenIn }) => forgottenIn))]
  return ({ event, content, uniqueId }: Omit<LeftOut, 'since'>) =>
    content !== 'agenda' &&
    origins.some((origin) => known.has(keyOf({ event, idMac: keys.macOfId(uniqueId, origin) })))
}

function keyOf(one: Pick<SuppressedId, 'event' | 'idMac'> | SuppressedAddress): string {
  const mac = 'idMac' in one ? one.idMac : one.addressMac
  return JSON.stringify([one.event, Buffer.from(mac).toString('hex')])
}

/** Part of what ids of items are sealed for. */
const SEALED_FOR = 'suppressions'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const event = { source: z.string(), sourceUrl: z.string(), sourceEventId: z.string() }
const eventKeys = { ...event, forgottenIn: z.string() }

const contentSchema = z.strictObject({
  format: z.enum(['event-sync suppressions 1', 'event-sync suppressions 2']),
  keyCheck: hash,
  ids: z.array(
    z.strictObject({
      ...eventKeys,
      token: z.string().regex(/^forgotten-[0-9a-f]{20}$/),
      idMac: hash,
      forgottenAt: z.iso.datetime(),
    }),
  ),
  addresses: z.array(z.strictObject({ ...eventKeys, addressMac: hash })),
  /** Format 1 has none. */
  items: z
    .array(
      z.strictObject({
        ...event,
        content: z.enum(CONTENTS),
        sealedId: z.string().regex(/^(?:[0-9a-f]{2})+$/),
        suppressedAt: z.iso.datetime(),
      }),
    )
    .optional(),
})
const fileSchema = z.strictObject({ ...contentSchema.shape, mac: hash })

type FileKeys = Pick<ForgettingKeys, 'check' | 'macOfFile' | 'seal' | 'open'>

/**
 * Writes suppressions as text: keyed hashes, tokens and sealed ids, which say nothing of a person to anyone without `sealingKey`, and
 * a hash of it all, so that nothing is lost or changed on the way.
 */
function toSuppressionsFile({ ids, addresses, items }: Kept, keys: FileKeys): string {
  const content: z.infer<typeof contentSchema> = {
    format: 'event-sync suppressions 2',
    keyCheck: toHex(keys.check),
    ids: ids.map(({ event, forgottenIn, token, idMac, forgottenAt }) => ({
      ...placeOf(event),
      forgottenIn,
      token,
      idMac: toHex(idMac),
      forgottenAt,
    })),
    addresses: addresses.map(({ event, forgottenIn, addressMac }) => ({
      ...placeOf(event),
      forgottenIn,
      addressMac: toHex(addressMac),
    })),
    items: items.map(({ event, content, uniqueId, since }) => ({
      ...placeOf(event),
      content,
      sealedId: toHex(keys.seal(SEALED_FOR, uniqueId)),
      suppressedAt: since,
    })),
  }
  return `${JSON.stringify({ ...content, mac: toHex(macOf(content, keys)) }, null, 2)}\n`
}

/** @throws UserError where it is none, was written under another key, or was changed */
function parseSuppressionsFile(text: string, path: string, keys: FileKeys): Kept {
  const { mac, ...content } = parse(text, path)
  if (!timingSafeEqual(fromHex(content.keyCheck), keys.check)) {
    throw new ConfigError(
      `sealingKey is not the key with which ${path} was written, so nobody in it would be recognised; configure that key and import again, or, if it is lost, forget these people here\nnothing was imported`,
    )
  }
  if (!timingSafeEqual(fromHex(mac), macOf(content, keys))) {
    throw new UserError(
      'file',
      `${path} was changed after it was written`,
      'export it again; nothing was imported',
    )
  }
  return {
    ids: content.ids.map(({ token, idMac, forgottenAt, ...row }) => ({
      event: eventOf(row),
      forgottenIn: row.forgottenIn,
      token,
      idMac: fromHex(idMac),
      forgottenAt,
      keyCheck: keys.check,
    })),
    addresses: content.addresses.map(({ addressMac, ...row }) => ({
      event: eventOf(row),
      forgottenIn: row.forgottenIn,
      addressMac: fromHex(addressMac),
      keyCheck: keys.check,
    })),
    items: (content.items ?? []).map(({ content, sealedId, suppressedAt, ...row }) => ({
      event: eventOf(row),
      content,
      uniqueId: keys.open(SEALED_FOR, fromHex(sealedId)),
      since: suppressedAt,
    })),
  }
}

function parse(text: string, path: string): z.infer<typeof fileSchema> {
  try {
    return fileSchema.parse(JSON.parse(text))
  } catch (cause) {
    const what = `${path} is not a file that \`event-sync suppressions export\` wrote`
    throw new UserError('file', what, 'name one that it wrote; nothing was imported', { cause })
  }
}

function macOf(content: z.infer<typeof contentSchema>, keys: FileKeys): Uint8Array {
  // Keys in the order of the schema, whatever their order in the file.
  return keys.macOfFile(JSON.stringify(contentSchema.parse(content)))
}

function placeOf({ source, source_url, source_event_id }: SourceEvent) {
  return { source, sourceUrl: source_url, sourceEventId: source_event_id }
}

function eventOf(row: { source: string; sourceUrl: string; sourceEventId: string }): SourceEvent {
  return { source: row.source, source_url: row.sourceUrl, source_event_id: row.sourceEventId }
}

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const fromHex = (hex: string) => Buffer.from(hex, 'hex')
