import { existsSync, readdirSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { moveWhole, writeWhole } from '../../loaders/files/file-writer.ts'
import { findFormerIds, noteFolderRenamed } from '../../loaders/ledger/former-ids.ts'
import { findLastPackRun } from '../../loaders/ledger/ledger.ts'
import { RENAMED_FILE, RENAMED_SIGNATURE_FILE, type RenamedNote } from '../../loaders/verify/renamed.ts'
import type { Database } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import type { Config, SecretEnvironment } from '../config/config.ts'
import { resolveSigner } from '../config/signing.ts'
import { type Listener, pointsOf } from '../runtime/events.ts'
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
 * @throws UserError if a folder with the new name already has files
 */
export async function finishRename(context: FolderContext, integrationId: string): Promise<void> {
  const { database, events, outputFolder } = context
  const renamings = await findFormerIds(database.kysely, integrationId)
  const due = renamings.find(({ isFolderDue }) => isFolderDue)
  if (due === undefined) return
  const at = pointsOf(events, integrationId)
  const folder = packsFolder(context, integrationId)
  const former = join(outputFolder, due.formerId)
  if (existsSync(former)) {
    await requireFree(folder, former, integrationId)
    await moveWhole(former, folder)
    at('folder renamed')
  }
  if (existsSync(folder)) {
    const renamed = renamings.map(({ formerId, renamedAt }) => ({
      from: formerId,
      renamedAt: renamedAt.toISOString(),
    }))
    await writeNote(context, folder, { integration: integrationId, renamed })
    at('renaming noted')
  }
  if (!existsSync(folder)) await requireNoPack(database.kysely, integrationId, folder)
  await database.transaction((transaction) => noteFolderRenamed(transaction, integrationId))
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
  await writeWhole(join(folder, RENAMED_FILE), ({ write }) => write(text))
  if (signature !== undefined)
    await writeWhole(join(folder, RENAMED_SIGNATURE_FILE), ({ write }) => write(`${signature}\n`))
}
