import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { moveWhole, writeWhole } from '../../loaders/files/file-writer.ts'
import { findFormerIds, noteFolderRenamed, renamingOf } from '../../loaders/ledger/former-ids.ts'
import { findLastPackRun, lastManifest } from '../../loaders/ledger/ledger.ts'
import { openChain } from '../../loaders/verify/chain.ts'
import { readPacks } from '../../loaders/verify/found-manifest.ts'
import { RENAMED_FILE, RENAMED_SIGNATURE_FILE, type RenamedNote } from '../../loaders/verify/renamed.ts'
import type { Database } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import type { Config, SecretEnvironment } from '../config/config.ts'
import { resolveSigner } from '../config/signing.ts'
import { type Listener, pointsOf } from '../runtime/events.ts'
import { describeCode, systemCodeOf } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'
import { packsFolder } from './pack-folder.ts'

interface FolderContext {
  readonly config: Config
  readonly secrets: SecretEnvironment
  readonly outputFolder: string
  readonly events: Listener
  readonly database: Database
}

/**
 * Renames the folder of an integration's packs if `rename` was killed after it changed the database and
 * before it renamed the folder. The caller must hold the lock of the integration. If the function is killed
 * at any point, the next call finishes its work.
 *
 * @throws UserError if a folder with the new name already has files, or if the folder cannot be renamed
 */
export async function finishRename(context: FolderContext, integrationId: string): Promise<void> {
  const { database, events, outputFolder } = context
  const renamings = await findFormerIds(database.kysely, integrationId)
  const due = renamings.find(({ isFolderDue }) => isFolderDue)
  if (due === undefined) return
  const at = pointsOf(events, integrationId)
  const folder = packsFolder(context, integrationId)
  const former = join(outputFolder, due.formerId)
  if (existsSync(former) && !isLeftOver(former, folder)) {
    await moveFolder(former, folder, integrationId)
    at('folder renamed')
  }
  if (existsSync(folder)) {
    const renamed = renamings.map(({ formerId, renamedAt }) => ({
      from: formerId,
      renamedAt: renamedAt.toISOString(),
    }))
    const lastManifestSha256 = await findLastManifest(database.kysely, integrationId, folder)
    await writeNote(context, folder, { integration: integrationId, renamed, lastManifestSha256 })
    at('renaming noted')
  }
  if (!existsSync(folder)) await requireNoPack(database.kysely, integrationId, folder)
  await database.transaction((transaction) => noteFolderRenamed(transaction, integrationId))
}

/** Returns true if a user moved the packs, and the former folder is empty, for example a mount point. */
function isLeftOver(former: string, folder: string): boolean {
  const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isFolder(former) || !isFolder(folder)) return false
  return readdirSync(former).length === 0 && readdirSync(folder).length > 0
}

/** @throws UserError if the folder cannot be renamed, for example because it is a mounted volume */
async function moveFolder(former: string, folder: string, integrationId: string): Promise<void> {
  try {
    await requireFree(folder, former, integrationId)
    await moveWhole(former, folder)
  } catch (cause) {
    if (cause instanceof UserError || systemCodeOf(cause) === null) throw cause
    throw new UserError(
      'state',
      `${integrationId} was renamed in the database, but the folder of its packs could not be renamed from ${former} to ${folder}${describeCode(cause)}`,
      `let this user rename it; if it is a mounted volume, mount it as ${folder} instead, or move its files into a folder of that name; the next command then goes on by itself, and until then ${integrationId} does not run`,
      { cause },
    )
  }
}

/** @throws UserError if the integration has packs: their folder is missing, perhaps because a disk is not mounted */
async function requireNoPack(db: Db, integrationId: string, folder: string): Promise<void> {
  if ((await findLastPackRun(db, integrationId)) === null) return
  throw new UserError(
    'state',
    `${integrationId} was renamed in the database, but the folder of its packs is missing: ${folder}`,
    'mount or restore the output folder, and run again; if the packs were deleted on purpose, make an empty folder of that name',
  )
}

/**
 * Returns the SHA-256 of the last manifest that the database knows. If the database knows no pack, because it
 * is new, the last manifest is that at the end of the chain in the folder.
 */
async function findLastManifest(db: Db, integrationId: string, folder: string): Promise<string | null> {
  const known = await lastManifest(db, integrationId)
  if (known !== null) return known
  const { links } = await readPacks(folder, null)
  return openChain(links, [await renamingOf(db, integrationId)]).end(integrationId)
}

async function requireFree(folder: string, former: string, integrationId: string): Promise<void> {
  if (!existsSync(folder)) return
  // Some systems cannot rename a folder to the name of an empty folder, so the empty folder is removed.
  if (readdirSync(folder).length === 0) return rmdir(folder)
  throw new UserError(
    'state',
    `the packs of ${integrationId} are still in ${former}, and ${folder} has files too`,
    `move the files of ${folder} away, and run again; nothing was read or written`,
  )
}

/**
 * Writes a note into the folder of the packs. The note says why the packs contain another id than the name of
 * their folder.
 */
async function writeNote({ config, secrets }: FolderContext, folder: string, note: RenamedNote) {
  const text = `${JSON.stringify(note, null, 2)}\n`
  const signature = resolveSigner(config, secrets)?.(Buffer.from(text))
  const { mode } = config.output
  await writeWhole(join(folder, RENAMED_FILE), ({ write }) => write(text), { mode })
  if (signature !== undefined)
    await writeWhole(join(folder, RENAMED_SIGNATURE_FILE), ({ write }) => write(`${signature}\n`), { mode })
}
