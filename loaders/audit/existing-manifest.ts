import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { removeWhole } from '../files/file-writer.ts'
import { readIfThere } from '../files/read-if-there.ts'
import { parseManifest } from './csv-files/manifest.ts'
import { MANIFEST_FILE, SIGNATURE_FILE, SUMS_FILE } from './csv-files/pack-files.ts'

/** Looks for the manifest of a pack that is there already, while the pack is written again. */
export async function findExistingManifest(folder: string) {
  const bytes = await readIfThere(join(folder, MANIFEST_FILE))
  const manifest = bytes === null ? null : parseManifest(bytes)
  const said = new Map(manifest?.files.map(({ name, sha256 }) => [name, sha256]))
  if (bytes !== null) said.set(MANIFEST_FILE, createHash('sha256').update(bytes).digest('hex'))
  let isThere = bytes !== null
  return {
    /** Whether it is still there. */
    get isThere() {
      return isThere
    },
    /**
     * To be awaited before a file takes its name: a manifest that says otherwise of it is taken away first, so that no
     * crash leaves one that does not fit the files beside it.
     */
    async dropIfContradicted(name: string, sha256: string): Promise<void> {
      if (!isThere || said.get(name) === sha256) return
      // The manifest goes last: until then the next attempt finds it, and takes away what is left.
      for (const file of [SIGNATURE_FILE, SUMS_FILE, MANIFEST_FILE]) await removeWhole(join(folder, file))
      isThere = false
    },
  }
}
