import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfThere } from '../../read-if-there.ts'
import { MANIFEST_FILE, SIGNATURE_FILE, SUMS_FILE } from '../pack-files.ts'
import { type Manifest, parseManifest } from './manifest.ts'

/** A manifest as it stands on the disk. */
export interface FoundManifest {
  readonly folder: string
  /** None where there is no such file. */
  readonly bytes: Buffer
  readonly sha256: string
  /** Null where it cannot be read as one. */
  readonly manifest: Manifest | null
}

/** What stands in the folder of an integration. */
export interface FoundPacks {
  /** By the names of their folders. */
  readonly packs: readonly FoundManifest[]
  /** Names of folders that are no packs, since they have no manifest: what a run left that died. */
  readonly noPacks: readonly string[]
}

/** Where an export leaves a pack whose bytes are not those of then. */
export const EXPORT_SUFFIX = '.export'

/**
 * @returns null where there is none: a folder without a manifest is no pack; but where something stands there that is
 *   written after a manifest only, the manifest is gone
 */
export async function readManifest(folder: string): Promise<FoundManifest | null> {
  const bytes = await readIfThere(join(folder, MANIFEST_FILE), ['ENOENT', 'ENOTDIR', 'EISDIR'])
  if (bytes === null) {
    const names = await readdir(folder).catch((): string[] => [])
    const isPack = [MANIFEST_FILE, SUMS_FILE, SIGNATURE_FILE].some((name) => names.includes(name))
    return isPack ? { folder, bytes: Buffer.alloc(0), sha256: '', manifest: null } : null
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { folder, bytes, sha256, manifest: parseManifest(bytes) }
}

/** Packs in the folder of an integration. */
export async function readPacks(folder: string): Promise<FoundPacks> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .sort()
  const packs: FoundManifest[] = []
  const noPacks: string[] = []
  for (const name of names) {
    const found = name.endsWith(EXPORT_SUFFIX) ? null : await readManifest(join(folder, name))
    if (found === null) noPacks.push(name)
    else packs.push(found)
  }
  return { packs, noPacks }
}
