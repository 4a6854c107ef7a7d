import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder, type OutputMode, writeWhole } from '../../loaders/files/file-writer.ts'
import { readIfThere, UnreadableFileError } from '../../loaders/files/read.ts'
import { VERIFIER_FILE } from '../context/pack-folder.ts'
import { packageRoot } from '../runtime/package-root.ts'

/**
 * Copies `verify.py` into the folder around a pack. An identical file stays unchanged. Auditors who receive
 * the packs can then check them without this product.
 *
 * @param folder folder of the pack. The copy is first written into this folder, because several processes may
 *   write packs of one integration at the same time
 */
export async function copyVerifier(folder: string, mode: OutputMode): Promise<void> {
  const text = readFileSync(join(packageRoot, 'loaders/verify', VERIFIER_FILE), 'utf8')
  const path = join(dirname(folder), VERIFIER_FILE)
  const partial = join(folder, `${VERIFIER_FILE}.partial`)
  // A process that died may have left an unfinished copy. The unfinished copy is not a file of the pack.
  await rm(partial, { force: true })
  if (textAt(path) === text) return
  await makeFolder(folder, mode)
  await writeWhole(path, ({ write }) => write(text), { mode, partial })
}

/**
 * Reads the text of a file. Returns null if the file is missing, or is a link or pipe, which the copy
 * replaces.
 */
function textAt(path: string): string | null {
  try {
    return readIfThere(path)?.toString() ?? null
  } catch (error) {
    if (error instanceof UnreadableFileError) return null
    throw error
  }
}
