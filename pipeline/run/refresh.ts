import { dirname, join } from 'node:path'
import { renamingOf } from '../../loaders/ledger/former-ids.ts'
import { updateRun } from '../../loaders/ledger/ledger.ts'
import { keepSealedIds } from '../../loaders/people/forgotten.ts'
import { noteForeignPurge } from '../../loaders/people/purge.ts'
import { readBack, replaceKnownItems, replayOperations } from '../../loaders/platform/known-items.ts'
import type { Operation, PlatformItem, PlatformReader } from '../../loaders/platform/target.ts'
import { openChain } from '../../loaders/verify/chain.ts'
import { readPacks } from '../../loaders/verify/found-manifest.ts'
import { hasOperations, readOperations } from '../../loaders/verify/operations.ts'
import { readPurgeNote } from '../../loaders/verify/verify-pack.ts'
import type { Db } from '../../sql/tables.ts'
import { resolveSigner } from '../config/signing.ts'
import { platformReaderOf } from '../context/connect.ts'
import { packFolder } from '../context/pack-folder.ts'
import type { RunContext } from '../context/run-context.ts'
import { findSuppression } from '../context/suppression.ts'
import { pick } from '../runtime/pick.ts'
import { beginningOf } from '../runtime/run-id.ts'
import type { Gap } from './behind.ts'

/**
 * Reads the items of the platform if the user asks for it, or if the database does not know them. If the
 * items were unknown, every item would be planned as new. Items that only the platform has would stay there
 * forever. If the platform cannot list its items, the operations in packs that this database does not know
 * are replayed instead.
 *
 * @returns true if items were read or operations were replayed
 */
export async function refresh(run: RunContext, isAsked: boolean, gap: Gap): Promise<boolean> {
  const { database, integration, integrationId, runId } = run
  const reader = platformReaderOf(run, integration)
  const { contents_read_back: known } = await database.kysely
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('contents_read_back')
    .executeTakeFirstOrThrow()
  const contents = integration.content.filter((content) => isAsked || !known.includes(content))
  // If the user asks for a refresh, the database may be outdated. What it knows about contents that are not
  // synced now is then also discarded.
  const stillKnown = isAsked ? [] : known
  const isRead = reader !== null && contents.length > 0
  if (!isRead && gap.packs.length === 0) return false
  const suppression = await findSuppression(database.kysely, run, integration)
  const removable = new Map<string, Uint8Array>()
  async function* pages(platform: PlatformReader) {
    for (const content of contents) {
      for await (const page of platform.itemsOf(content)) {
        yield suppression === null ? page : { ...page, items: page.items.map(hidden) }
      }
    }
  }
  async function* operations(folder: string): AsyncGenerator<Operation> {
    for await (const operation of readOperations(folder)) {
      if (suppression === null) yield operation
      else if (operation.op === 'upsert') yield { ...operation, ...hidden(operation) }
      else {
        const { content, uniqueId } = operation
        const token = content === 'agenda' ? null : suppression.tokenOf(uniqueId)
        yield { ...operation, uniqueId: token ?? uniqueId }
      }
    }
  }
  function hidden(item: PlatformItem): PlatformItem {
    const known = suppression?.ofPlatform(item) ?? item
    const { uniqueId: token } = known
    if (suppression !== null && token !== item.uniqueId) {
      removable.set(token, suppression.keys.seal(token, item.uniqueId))
    }
    return known
  }
  await run.step('refresh', async () => {
    // The pages are read outside the transaction, because the platform may need hours to return them.
    const found = isRead ? await readBack(database, run, pages(reader)) : null
    const folders = await foldersSince(run, gap)
    await database.transaction(async (transaction) => {
      if (found !== null) await replaceKnownItems(transaction, run, contents, found, stillKnown)
      for (const folder of folders) await replayOperations(transaction, run, operations(folder))
      // The ids of these forgotten people are kept, because the people must still be removed from the
      // platform.
      await keepSealedIds(transaction, integrationId, removable)
      if (gap.packs.length > 0) await updateRun(transaction, integrationId, runId, { gap: gap.packs })
      await takeInPurges(run, transaction, gap)
      run.at('items read back')
    })
  })
  run.at('platform known')
  return true
}

/**
 * Records the purges of packs that the database does not know, for example after `erase`. The next manifest
 * then confirms these purges. With a signing key nothing is confirmed, because the notes are signed themselves.
 */
async function takeInPurges(run: RunContext, transaction: Db, { packs }: Gap): Promise<void> {
  if (resolveSigner(run.config, run.secrets) !== null) return
  const output = dirname(packFolder(run))
  const purged = packs.flatMap(({ run: runId, manifestSha256 }) => {
    const note = manifestSha256 === null ? null : readPurgeNote(join(output, runId), manifestSha256)
    return note === null || manifestSha256 === null ? [] : { ...note, run: runId, manifestSha256 }
  })
  for (const same of Map.groupBy(purged, ({ at, by }) => `${at} ${by}`).values()) {
    const [{ at, by } = { at: '', by: '' }] = same
    await noteForeignPurge(transaction, run, {
      at,
      by,
      packs: same.map((one) => pick(one, 'run', 'manifestSha256')),
    })
  }
}

/**
 * Returns the folders that contain operations, in the order in which the operations were applied. The first
 * folder in the list is the first to replay. A run that died before its pack was complete has no end time.
 * The folder of an unfinished run is sorted by the start of the run.
 */
async function foldersSince(run: RunContext, { toReplay }: Gap): Promise<readonly string[]> {
  if (toReplay.length === 0) return []
  const replayed = new Set(toReplay.map(({ run }) => run))
  const { links, noPacks, renamings } = await readPacks(dirname(packFolder(run)), null)
  const renaming = await renamingOf(run.database.kysely, run.integrationId)
  const chain = openChain(links, [renaming, ...renamings])
  const isOwn = (integration: string) => chain.isSame(integration, run.integrationId)
  const landed = links
    .filter(({ integration }) => isOwn(integration))
    .map(({ folder, run: id, finishedAt }) => ({ folder, run: id, at: `${finishedAt ?? ''} ${id}` }))
  for (const name of noPacks) {
    const folder = packFolder({ ...run, runId: name })
    if (await hasOperations(folder, isOwn, run.environment.now()))
      landed.push({ folder, run: name, at: `${beginningOf(name)} ${name}` })
  }
  landed.sort((one, other) => (one.at < other.at ? -1 : 1))
  return landed.slice(landed.findIndex((one) => replayed.has(one.run))).map(({ folder }) => folder)
}
