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

/** A manifest counts only if nothing is wrong with it; its signature is checked first. */
export type FoundManifest = { readonly folder: string; readonly sha256: string } & (
  | { readonly manifest: Manifest; readonly fault: null }
  | { readonly manifest: null; readonly fault: Finding }
)

/** Ends the name of a folder beside a pack in which it is written again. */
export const EXPORT_SUFFIX = '.export'

/** Folder in which a pack is written again, and stays if its bytes are not those of that time: hidden from a person who reads all packs of a folder. */
export function exportFolder(folder: string): string {
  return join(dirname(folder), `.${basename(folder)}${EXPORT_SUFFIX}`)
}

/**
 * @param publicKey null where nobody asks who signed it
 * @returns null if there is none: a folder without a manifest is not a pack; but where something is there that is
 *   written after a manifest only, the manifest is gone
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

/** Packs in the folder of an integration; of each manifest only what the others need is kept. */
export async function readPacks(folder: string, publicKey: PublicKeys | null) {
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
    const found = name.endsWith(EXPORT_SUFFIX) ? null : readManifest(path, publicKey)
    if (found === null) noPacks.push(name)
    else {
      folders.push(path)
      if (found.manifest !== null) links.push(linkOf(path, found.sha256, found.manifest))
    }
  }
  return { folders, links, noPacks }
}
