import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Manifest, parseManifest } from '../audit/csv-files/manifest.ts'
import { MANIFEST_FILE, SIGNATURE_FILE, SUMS_FILE } from '../audit/csv-files/pack-files.ts'
import { readRegular, UnreadableFileError } from '../files/read-regular.ts'
import { type Link, linkOf } from './link.ts'

export interface FoundManifest {
  readonly folder: string
  /** None where there is no such file. */
  readonly bytes: Buffer
  readonly sha256: string
  /** Null where it cannot be read as one. */
  readonly manifest: Manifest | null
  readonly fault: string | null
}

/** Ends the name of a folder beside a pack in which it is written again. */
export const EXPORT_SUFFIX = '.export'

/** Where a pack is written again, and stays if its bytes are not those of then: hidden from anyone who reads all packs of a folder. */
export function exportFolder(folder: string): string {
  return join(dirname(folder), `.${basename(folder)}${EXPORT_SUFFIX}`)
}

/** A manifest names every request of its run: one of a million people has some megabytes. */
export const MAX_MANIFEST_BYTES = 128 * 1024 * 1024

/**
 * @returns null where there is none: a folder without a manifest is no pack; but where something is there that is
 *   written after a manifest only, the manifest is gone
 */
export async function readManifest(folder: string): Promise<FoundManifest | null> {
  const none = { folder, bytes: Buffer.alloc(0), sha256: '', manifest: null, fault: null }
  try {
    const bytes = await readRegular(folder, MANIFEST_FILE, MAX_MANIFEST_BYTES)
    if (bytes === null) {
      const names = await readdir(folder).catch((): string[] => [])
      return [SUMS_FILE, SIGNATURE_FILE].some((name) => names.includes(name)) ? none : null
    }
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { folder, bytes, sha256, manifest: parseManifest(bytes), fault: null }
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error
    return { ...none, fault: error.message }
  }
}

/** Packs in the folder of an integration; of each manifest only what the others need is kept. */
export async function readPacks(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .sort()
  const folders: string[] = []
  const links: Link[] = []
  /** Folders without a manifest: what a run left that died. */
  const noPacks: string[] = []
  for (const name of names) {
    const path = join(folder, name)
    const found = name.endsWith(EXPORT_SUFFIX) ? null : await readManifest(path)
    if (found === null) noPacks.push(name)
    else {
      folders.push(path)
      if (found.manifest !== null) links.push(linkOf(path, found.sha256, found.manifest))
    }
  }
  return { folders, links, noPacks }
}
