import { hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readRegular, UnreadableFileError } from '../files/read.ts'
import {
  type Finding,
  MANIFEST_FILE,
  MAX_MANIFEST_BYTES,
  type Manifest,
  parseManifest,
  SIGNATURE_FILE,
  SUMS_FILE,
} from '../packs/csv-files/pack-format.ts'
import { type Link, linkOf } from './chain.ts'
import { checkSignature, type PublicKeys, readSmallFile } from './files.ts'
import { readRenamings } from './renamed.ts'

/**
 * A manifest without a fault, or the first fault that was found in a manifest. The signature of the manifest
 * is checked first.
 */
export type FoundManifest = { readonly folder: string; readonly sha256: string } & (
  | { readonly manifest: Manifest; readonly fault: null }
  | { readonly manifest: null; readonly fault: Finding }
)

/**
 * Ending of the name of the folder in which a pack is written again. The folder with this ending is next to
 * the pack's own folder.
 */
export const EXPORT_SUFFIX = '.export'

/**
 * Returns the folder in which a pack is written again. If the new pack has other bytes than the existing
 * pack, it stays in the separate folder. The folder's name begins with a dot, so that tools which read all
 * packs skip the folder.
 */
export function exportFolder(folder: string): string {
  return join(dirname(folder), `.${basename(folder)}${EXPORT_SUFFIX}`)
}

/**
 * Reads the manifest of a folder.
 *
 * @param publicKey key for checking signatures; if null, signatures are not checked
 * @returns null if the folder has no manifest and so is not a pack. If the folder has no manifest but has
 *   `SHA256SUMS` or `manifest.sig`, the result is a fault
 */
export function readManifest(folder: string, publicKey: PublicKeys | null): FoundManifest | null {
  try {
    const bytes = readRegular(folder, MANIFEST_FILE, MAX_MANIFEST_BYTES)
    if (bytes === null || bytes.length === 0) {
      const isGone =
        bytes !== null || [SUMS_FILE, SIGNATURE_FILE].some((name) => readSmallFile(folder, name) !== null)
      return isGone ? unread({ file: MANIFEST_FILE, message: 'is missing or empty' }) : null
    }
    const [fault] = publicKey === null ? [] : checkSignature(folder, SIGNATURE_FILE, bytes, publicKey)
    if (fault !== undefined) return unread(fault)
    const sha256 = hash('sha256', bytes)
    const manifest = parseManifest(bytes)
    return manifest === null
      ? unread({ file: MANIFEST_FILE, message: 'is not a manifest of an audit pack' })
      : { folder, sha256, manifest, fault: null }
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error
    return unread({ file: error.file, message: error.message })
  }

  function unread(fault: Finding): FoundManifest {
    return { folder, sha256: '', manifest: null, fault }
  }
}

/**
 * Reads the packs in the folder of an integration, and the renamings in the note beside the packs. To save
 * memory, the function keeps only those parts of each manifest that the chain needs.
 *
 * @param follows SHA-256 of a manifest whose pack is not here: a pack that follows it counts as the first
 */
export async function readPacks(folder: string, publicKey: PublicKeys | null, follows: string | null = null) {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .sort()
  const folders: string[] = []
  const links: Link[] = []
  /**
   * Names of folders that have no manifest. A run that died before its pack was complete leaves a folder
   * without a manifest.
   */
  const noPacks: string[] = []
  for (const name of names) {
    const path = join(folder, name)
    const found = name.endsWith(EXPORT_SUFFIX) ? null : readManifest(path, publicKey)
    if (found === null) noPacks.push(name)
    else {
      folders.push(path)
      if (found.manifest !== null) links.push(linkOf(path, found.sha256, found.manifest, follows))
    }
  }
  return { folders, links, noPacks, renamings: readRenamings(folder, publicKey, links) }
}
