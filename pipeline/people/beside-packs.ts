import { hash } from 'node:crypto'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { writeWhole } from '../../loaders/files/file-writer.ts'
import { readIfThere } from '../../loaders/files/read.ts'
import type { SourceEvent } from '../../loaders/ledger/binding.ts'
import { renamingOf } from '../../loaders/ledger/former-ids.ts'
import { makePlansStale } from '../../loaders/ledger/stored-plan.ts'
import {
  carryOverSuppressed,
  findRevision,
  findSuppressed,
  setRevision,
  suppress,
} from '../../loaders/ledger/suppressed.ts'
import {
  findSuppressions,
  keepForgotten,
  type SuppressedAddress,
  type SuppressedId,
  type Suppressions,
  shareForgotten,
} from '../../loaders/people/forgotten.ts'
import { readManifest } from '../../loaders/verify/found-manifest.ts'
import { readRenamings } from '../../loaders/verify/renamed.ts'
import type { Db, GapPack, KnownSuppressions } from '../../sql/tables.ts'
import { isAddress } from '../../transforms/rules/personal-ids.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { withAnd } from '../../transforms/texts/with-and.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { findForgettingKeys, forgettingKeysOf, requireSameKey } from '../context/keys.ts'
import { packsFolder, SUPPRESSIONS_FILE } from '../context/pack-folder.ts'
import { type BaseContext, type Context, timestamp } from '../context/run-context.ts'
import { eventReadBy, sourceBindingOf } from '../context/suppression.ts'
import type { SuppressionCounts } from '../schemas/people.ts'
import { ConfigError, UserError } from '../settings/errors.ts'
import { countsOf, makeIsForgotten } from './suppressions.ts'
import {
  type Kept,
  parseSuppressionsFile,
  type SuppressionsFile,
  toSuppressionsFile,
} from './suppressions-file.ts'

/** A file of suppressions beside the packs whose revision is higher than the revision in this database. */
export interface UnknownSuppressions {
  readonly path: string
  /**
   * Null if the file is missing, or is older than a manifest says. If the file is missing or outdated, it is
   * unknown which items must not be synced.
   */
  readonly file: SuppressionsFile | null
  /** Revision in the manifests of the packs or revision of the file, whichever is higher. */
  readonly revision: number
  /** Revision of the suppressions in this database. */
  readonly known: number
}

function pathOf(context: BaseContext, integrationId: string): string {
  return join(packsFolder(context, integrationId), SUPPRESSIONS_FILE)
}

/**
 * Compares the revision of the suppressions in this database with the file beside the packs and with the
 * manifests of the packs.
 *
 * @param packs packs that the database does not know; of all other packs it knows the revision
 * @returns null if the database has the newest revision
 * @throws UserError if the file cannot be read, was written with another key, or was changed
 */
export async function findUnknownSuppressions(
  context: Context,
  id: string,
  packs: readonly GapPack[],
): Promise<UnknownSuppressions | null> {
  const path = pathOf(context, id)
  const known = await findRevision(context.database.kysely, id)
  const file = await readFileBesidePacks(context, id)
  const there = file?.head?.revision ?? 0
  const { revision: said, sha256 } = newestIn(context, id, packs)
  if (file !== null && there === said && hash('sha256', file.text) !== sha256)
    throw new UserError(
      'file',
      `${path} is not the one that the packs know as revision ${said}`,
      adviceFor(id),
    )
  if (Math.max(there, said) <= known) return null
  if (file !== null && !file.isKeyed && findForgettingKeys(context, id) !== null)
    throw new UserError(
      'file',
      `${path} is newer than this database, and was written without sealingKey: anybody who can write there may have done it`,
      adviceFor(id),
    )
  return { path, file: there < said ? null : file, revision: Math.max(there, said), known }
}

/**
 * Finds the highest revision of suppressions in the manifests of some packs, and the hash of the file with
 * this revision. Returns revision 0 if no manifest has a revision.
 */
export function newestIn(context: BaseContext, id: string, packs: readonly GapPack[]) {
  const known = packs
    .filter(({ manifestSha256 }) => manifestSha256 !== null)
    .flatMap(
      ({ run }) => readManifest(join(packsFolder(context, id), run), null)?.manifest?.suppressions ?? [],
    )
  return known.reduce((newest, one) => (one.revision > newest.revision ? one : newest), {
    revision: 0,
    sha256: '',
  })
}

function adviceFor(integrationId: string): string {
  return `put it back, for example from a backup, or write it with what this database keeps out: \`event-sync suppressions renew ${integrationId}\`; nothing was read or written`
}

/**
 * Reads the suppressions file beside the packs; returns null if there is no file. After `rename`, the file
 * may contain the former id until the next run.
 */
async function readFileBesidePacks(context: Context, integrationId: string) {
  const path = pathOf(context, integrationId)
  const text = readIfThere(path)?.toString() ?? null
  if (text === null) return null
  const findKeys = () => forgettingKeysOf(context, integrationId)
  const advice = adviceFor(integrationId)
  const file = parseSuppressionsFile(text, path, findKeys, advice)
  const { renamedFrom } = await renamingOf(context.database.kysely, integrationId)
  const noted = readRenamings(packsFolder(context, integrationId))
    .filter(({ integration }) => integration === integrationId)
    .flatMap((renaming) => renaming.renamedFrom)
  const ids = new Set([integrationId, ...renamedFrom, ...noted])
  if (file.head !== null && ids.has(file.head.integration)) return { ...file, text }
  throw new UserError('file', `${path} is not that of ${integrationId}`, advice)
}

/**
 * Stores the suppressions of the file in one transaction.
 *
 * @returns a text with the number of new suppressions
 */
export async function keepNamed(
  context: Context,
  integration: IntegrationConfig,
  { file }: { readonly file: SuppressionsFile },
): Promise<string> {
  const sourceBinding = sourceBindingOf(integration)
  const { integrationId, event } = sourceBinding
  const { user } = context.environment
  const counts = await context.database.transaction(async (transaction) => {
    const before = await findKept(transaction, context, integration)
    for (const { event: _, forgottenAt, ...id } of file.ids) {
      const people = { ids: [{ ...id, sealedId: null }], addresses: [] }
      await keepForgotten(transaction, integrationId, event, people, { user, at: forgottenAt })
    }
    const { addresses } = file
    const by = { user, at: timestamp(context.environment) }
    await keepForgotten(transaction, integrationId, event, { ids: [], addresses }, by)
    for (const item of file.items) {
      const isOfEvent =
        item.event.source === event.source && item.event.source_event_id === event.source_event_id
      const binding = { integrationId, event: isOfEvent ? event : item.event }
      await suppress(transaction, binding, { ...item, by: user })
    }
    await makePlansStale(transaction, integrationId)
    const after = countsOf(await findKept(transaction, context, integration))
    const { ids, addresses: known, items } = countsOf(before)
    return { ids: after.ids - ids, addresses: after.addresses - known, items: after.items - items }
  })
  return `${describeKept(counts)} that this database did not know`
}

/**
 * Checks that the file of suppressions beside the packs can be written.
 *
 * @throws ConfigError if the key is missing or is another key
 */
export async function requireKeepable(context: Context, integration: IntegrationConfig): Promise<void> {
  const { items } = await findKept(context.database.kysely, context, integration)
  requireKeyFor(context, integration.id, items)
}

/**
 * Checks that a key is configured if it is needed.
 *
 * @throws ConfigError if no key is configured and an id is an e-mail address, which must be encrypted
 */
export function requireKeyFor(
  context: BaseContext,
  integrationId: string,
  items: readonly { readonly uniqueId: string }[],
): void {
  const keys = findForgettingKeys(context, integrationId)
  if (keys !== null || !items.some(({ uniqueId }) => isAddress(uniqueId))) return
  throw new ConfigError(
    'sealingKey is missing: an item is left out under an e-mail address, which is written beside the packs only sealed',
    { todo: 'create one with `openssl rand -base64 32` and set sealingKey to env:NAME or file:PATH' },
  )
}

/** Removes duplicates. A person may be suppressed for several events that the integration has read. */
function ofOneEvent({ ids, addresses }: Suppressions, event: SourceEvent): Suppressions {
  const once = <One extends SuppressedId | SuppressedAddress>(
    all: readonly One[],
    macOf: (one: One) => Uint8Array,
  ) => [...new Map(all.map((one) => [Buffer.from(macOf(one)).toString('hex'), { ...one, event }])).values()]
  return { ids: once(ids, ({ idMac }) => idMac), addresses: once(addresses, ({ addressMac }) => addressMac) }
}

/** Finds all suppressions that apply to an integration. */
async function findKept(db: Db, context: BaseContext, integration: IntegrationConfig): Promise<Kept> {
  const sourceBinding = sourceBindingOf(integration)
  const people = ofOneEvent(await findSuppressions(db, sourceBinding), sourceBinding.event)
  const items = await findSuppressed(db, sourceBinding.event)
  if (people.ids.length === 0) return { ...people, items }
  const keys = forgettingKeysOf(context, integration.id)
  requireSameKey(keys, integration.id, [...people.ids, ...people.addresses])
  const isForgotten = makeIsForgotten(people.ids, keys)
  return { ...people, items: items.filter((item) => !isForgotten(item)) }
}

/**
 * Writes the suppressions of an integration into the file beside its packs. If the file already has them, it
 * stays unchanged.
 *
 * @param renewed revision of a lost or damaged file; a new file with a higher revision replaces that file
 * @returns the entry about the file for the manifest; null if there was never a suppression
 */
export async function writeSuppressions(
  context: Context,
  integration: IntegrationConfig,
  renewed: number | null = null,
): Promise<KnownSuppressions | null> {
  const { id } = integration
  const { database } = context
  const keys = findForgettingKeys(context, id)
  const kept = await findKept(database.kysely, context, integration)
  requireKeyFor(context, id, kept.items)
  const known = await findRevision(database.kysely, id)
  const there = renewed === null ? await readFileBesidePacks(context, id) : null
  const isEmpty = kept.ids.length + kept.addresses.length + kept.items.length === 0
  if (isEmpty && known === 0 && there === null && renewed === null) return null
  const counts = countsOf(kept)
  const textOf = (revision: number) => toSuppressionsFile(kept, keys, { integration: id, revision })
  if (there !== null && known > 0 && there.text === textOf(known))
    return { file: SUPPRESSIONS_FILE, sha256: hash('sha256', there.text), revision: known, ...counts }
  const revision = Math.max(known, there?.head?.revision ?? 0, renewed ?? 0) + 1
  // The database is written first, and the file second. If the file were written first, a crash would make
  // the database look older than the file.
  await database.transaction((transaction) => setRevision(transaction, id, revision))
  const text = textOf(revision)
  const { sha256 } = await writeWhole(pathOf(context, id), ({ write }) => write(text), {
    mode: context.config.output.mode,
  })
  return { file: SUPPRESSIONS_FILE, sha256, revision, ...counts }
}

/**
 * Writes the suppression files of all configured integrations that read the same event, because suppressions
 * apply to all these integrations.
 */
export async function writeSuppressionsOfEvent(
  context: Context,
  integration: IntegrationConfig,
): Promise<void> {
  const event = eventReadBy(integration)
  for (const other of context.config.integrations) {
    if (!isDeepStrictEqual(eventReadBy(other), event)) continue
    if (other.id === integration.id || (await isCurrent(context, other.id)))
      await writeSuppressions(context, other)
  }
}

/**
 * Returns true if this database has all suppressions in the file of another integration. If some are missing,
 * the next run of that integration imports the file.
 */
async function isCurrent(context: Context, integrationId: string): Promise<boolean> {
  try {
    return (await findUnknownSuppressions(context, integrationId, [])) === null
  } catch (error) {
    // If the file cannot be read, the next run of that integration reports this.
    if (error instanceof UserError) return false
    throw error
  }
}

export function describeKept({ ids, addresses, items }: SuppressionCounts): string {
  const e = addresses === 1 ? '' : 'es'
  return `${counted(ids, 'id')} and ${addresses} e-mail address${e} of forgotten people, and ${counted(items, 'item')} left out by hand`
}

/**
 * Copies the suppressions from the event that the integration read before to its new event. Suppressions of
 * forgotten people are always copied. Suppressions of items are copied only if the event is the same and only
 * its address has changed. In another event, the same id means another item.
 *
 * @returns sentences with the number of suppressions; empty if nothing was suppressed
 */
export async function carryOverSuppressions(
  transaction: Db,
  integration: IntegrationConfig,
  former: SourceEvent,
  by: { readonly user: string; readonly at: string },
): Promise<readonly string[]> {
  const sourceBinding = sourceBindingOf(integration)
  const { source, source_event_id } = sourceBinding.event
  const isSame = former.source === source && former.source_event_id === source_event_id
  const items = isSame
    ? await carryOverSuppressed(transaction, sourceBinding, former)
    : (await findSuppressed(transaction, former)).length
  const ids = await shareForgotten(transaction, integration.id, sourceBinding.event, by)
  const carried = [
    ...(ids === 0 ? [] : [`${counted(ids, 'id')} of forgotten people`]),
    ...(isSame && items > 0 ? [`${counted(items, 'item')} left out by hand`] : []),
  ]
  return [
    ...(carried.length === 0
      ? []
      : [`the new address of the source keeps out as before: ${withAnd(carried)}`]),
    ...(isSame || items === 0
      ? []
      : [
          `${counted(items, 'item')} left out by hand of event ${former.source_event_id} ${items === 1 ? 'is' : 'are'} not left out of event ${source_event_id}, whose ids are of other items; \`event-sync suppress\` leaves one out`,
        ]),
  ]
}
