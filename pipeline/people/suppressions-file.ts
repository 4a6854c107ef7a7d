import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { SourceEvent } from '../../loaders/ledger/binding.ts'
import type { SuppressedItem } from '../../loaders/ledger/suppressed.ts'
import type { Suppressions } from '../../loaders/people/forgotten.ts'
import { CONTENTS } from '../../sql/tables.ts'
import type { ForgettingKeys } from '../context/keys.ts'
import { ConfigError, UserError } from '../settings/errors.ts'

export type LeftOut = SuppressedItem & {
  readonly event: SourceEvent
  readonly since: string
  readonly reason: string | null
}

/** Suppressions of forgotten people, and suppressions of items that a user has set. */
export interface Kept extends Suppressions {
  readonly items: readonly LeftOut[]
}

/**
 * The head of a file beside the packs: the integration, and a revision that rises with each change of the
 * file.
 */
interface Head {
  readonly integration: string
  readonly revision: number
}

/** The content of a file of suppressions. */
export interface SuppressionsFile extends Kept {
  /** The head of the file. A file that `suppressions export` wrote has no head: the value is null. */
  readonly head: Head | null
  /** True if the file was written with a key. If there is no key, anybody could have written the file. */
  readonly isKeyed: boolean
}

const FORMAT = 'event-sync suppressions 1'

/** The purpose with which the items in a file are encrypted. */
const SEALED_FOR = 'suppressions'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const event = { source: z.string(), sourcePlace: z.string(), sourceEventId: z.string() }
const sum = { ...event, forgottenIn: z.string(), keyCheck: hash }
const item = { ...event, content: z.enum(CONTENTS), suppressedAt: z.iso.datetime() }

const contentSchema = z.strictObject({
  format: z.literal(FORMAT),
  integration: z.string().optional(),
  revision: z.int().positive().optional(),
  /**
   * Check value of the key with which the file was written. The check value is null if no key was configured.
   */
  keyCheck: hash.nullable(),
  ids: z.array(
    z.strictObject({
      ...sum,
      token: z.string().regex(/^forgotten-[0-9a-f]{20}$/),
      idMac: hash,
      forgottenAt: z.iso.datetime(),
    }),
  ),
  addresses: z.array(z.strictObject({ ...sum, addressMac: hash })),
  /**
   * `sealed` contains the encrypted unique ID of an item and the reason. Without a key, the item has only its
   * unique ID.
   */
  items: z.array(
    z.union([
      z.strictObject({ ...item, sealed: z.string().regex(/^(?:[0-9a-f]{2})+$/) }),
      z.strictObject({ ...item, uniqueId: z.string() }),
    ]),
  ),
})
const fileSchema = z.strictObject({ ...contentSchema.shape, mac: hash.nullable() })
const sealedSchema = z.strictObject({ uniqueId: z.string(), reason: z.string().nullable() })

type FileKeys = Pick<ForgettingKeys, 'check' | 'has' | 'macOfFile' | 'sealAlike' | 'openAlike'>

/**
 * Writes suppressions as text, which contains keyed hashes, tokens and encrypted ids. Without `sealingKey`,
 * nobody can learn anything about a person from the text. An HMAC (a keyed hash) of the whole content reveals
 * whether anything was lost or changed. Equal suppressions always give equal text.
 *
 * @param keys null if no key is configured; nobody was forgotten then, and ids of items are not encrypted, as
 *   in packs
 */
export function toSuppressionsFile(
  { ids, addresses, items }: Kept,
  keys: FileKeys | null,
  head: Head | null,
): string {
  const content: z.infer<typeof contentSchema> = {
    format: FORMAT,
    ...head,
    keyCheck: keys === null ? null : toHex(keys.check),
    ids: ids.map(({ event, forgottenIn, keyCheck, token, idMac, forgottenAt }) => ({
      ...placeOf(event),
      forgottenIn,
      keyCheck: toHex(keyCheck),
      token,
      idMac: toHex(idMac),
      forgottenAt,
    })),
    addresses: addresses.map(({ event, forgottenIn, keyCheck, addressMac }) => ({
      ...placeOf(event),
      forgottenIn,
      keyCheck: toHex(keyCheck),
      addressMac: toHex(addressMac),
    })),
    items: items.map(({ event, content, uniqueId, since, reason }) => {
      const place = { ...placeOf(event), content, suppressedAt: since }
      if (keys === null) return { ...place, uniqueId }
      const text = JSON.stringify({ uniqueId, reason })
      return { ...place, sealed: toHex(keys.sealAlike(SEALED_FOR, text)) }
    }),
  }
  const mac = keys === null ? null : toHex(macOf(content, keys, keys.check))
  return `${JSON.stringify({ ...content, mac }, null, 2)}\n`
}

/**
 * Parses a file of suppressions.
 *
 * @param findKeys called only if the file needs a key
 * @param advice for messages: what the user can do, and what was not done
 * @throws UserError if the text is not a file of suppressions, was written with a key that is not configured,
 *   or was changed
 */
export function parseSuppressionsFile(
  text: string,
  path: string,
  findKeys: () => FileKeys,
  advice: string,
): SuppressionsFile {
  const { mac, ...content } = parse(text, path, advice)
  const keys = content.keyCheck === null ? null : findKeys()
  if (keys !== null) requireUnchanged(content, mac, path, keys, advice)
  const { integration, revision } = content
  return {
    head: integration === undefined || revision === undefined ? null : { integration, revision },
    isKeyed: keys !== null,
    ids: content.ids.map(({ token, idMac, forgottenAt, forgottenIn, keyCheck, ...row }) => ({
      event: eventOf(row),
      forgottenIn,
      keyCheck: fromHex(keyCheck),
      token,
      idMac: fromHex(idMac),
      forgottenAt,
    })),
    addresses: content.addresses.map(({ addressMac, forgottenIn, keyCheck, ...row }) => ({
      event: eventOf(row),
      forgottenIn,
      keyCheck: fromHex(keyCheck),
      addressMac: fromHex(addressMac),
    })),
    items: content.items.map(({ content, suppressedAt, ...row }) => ({
      event: eventOf(row),
      content,
      since: suppressedAt,
      ...(keys !== null && 'sealed' in row
        ? sealedSchema.parse(JSON.parse(keys.openAlike(SEALED_FOR, fromHex(row.sealed))))
        : { uniqueId: 'uniqueId' in row ? row.uniqueId : '', reason: null }),
    })),
  }
}

function requireUnchanged(
  content: z.infer<typeof contentSchema>,
  mac: string | null,
  path: string,
  keys: FileKeys,
  advice: string,
): void {
  const check = fromHex(content.keyCheck ?? '')
  const checks = [check, ...[...content.ids, ...content.addresses].map(({ keyCheck }) => fromHex(keyCheck))]
  if (!checks.every(keys.has)) {
    throw new ConfigError(
      `neither sealingKey nor formerSealingKeys has the key with which ${path} was written, so nobody in it would be recognised; list that key in formerSealingKeys, or, if it is lost, forget these people here; ${advice}`,
    )
  }
  const isSame = mac !== null && timingSafeEqual(fromHex(mac), macOf(content, keys, check))
  if (isSame) return
  throw new UserError('file', `${path} was changed after it was written`, advice)
}

function parse(text: string, path: string, advice: string): z.infer<typeof fileSchema> {
  try {
    const file = fileSchema.parse(JSON.parse(text))
    // Without a key, a file cannot contain people or encrypted items.
    const isOfKey = file.ids.length + file.addresses.length > 0 || file.items.some((one) => 'sealed' in one)
    if (file.keyCheck === null && isOfKey) throw new Error('sealed without a key')
    return file
  } catch (cause) {
    const what = `${path} is not a file of suppressions that event-sync wrote`
    throw new UserError('file', what, advice, { cause })
  }
}

function macOf(content: z.infer<typeof contentSchema>, keys: FileKeys, check: Uint8Array): Uint8Array {
  // The schema puts the keys of the object in a fixed order before the hash is computed.
  return keys.macOfFile(JSON.stringify(contentSchema.parse(content)), check)
}

function placeOf({ source, source_place, source_event_id }: SourceEvent) {
  return { source, sourcePlace: source_place, sourceEventId: source_event_id }
}

function eventOf(row: { source: string; sourcePlace: string; sourceEventId: string }): SourceEvent {
  return { source: row.source, source_place: row.sourcePlace, source_event_id: row.sourceEventId }
}

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const fromHex = (hex: string) => Buffer.from(hex, 'hex')
