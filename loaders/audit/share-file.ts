import { link, lstat, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, moveWhole, type WrittenFile } from '../files/file-writer.ts'
import { hashFile } from '../files/hash-file.ts'

/**
 * Gives a folder a file of another one as its own, under the same name, by a hard link. Whatever writes that name again writes a new
 * file, so neither changes with the other.
 *
 * @returns false where it is not there, is another one, or cannot be linked, as on a disk without links: then nothing was done
 */
export async function shareFile(
  [from, to]: readonly [from: string, to: string],
  name: string,
  file: WrittenFile,
  beforeNamed: (written: WrittenFile) => Promise<void>,
): Promise<boolean> {
  const partial = join(to, `${name}.partial`)
  await makeFolder(to)
  await rm(partial, { force: true })
  try {
    const path = join(from, name)
    if (!(await lstat(path)).isFile()) return false
    const { bytes, sha256 } = await hashFile(path)
    if (bytes !== file.bytes || sha256 !== file.sha256) return false
    await link(path, partial)
  } catch {
    // It is written again then, which says what is wrong with the disk, if anything is.
    return false
  }
  await beforeNamed(file)
  await moveWhole(partial, join(to, name))
  // Where both names are of one file already, as after a crash, renaming leaves the first.
  await rm(partial, { force: true })
  return true
}
