import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfThere } from '../../read-if-there.ts'
import { hashFile } from '../hash-file.ts'
import { MANIFEST_FILE, SIGNATURE_FILE, SUMS_FILE } from '../pack-files.ts'
import type { Finding } from './finding.ts'
import type { Manifest } from './manifest.ts'

/**
 * Holds the files of a pack against the manifest: each is there, a file and no link, with the bytes and hash it had, and
 * nothing else is there.
 */
export async function checkFiles(folder: string, manifest: Manifest): Promise<readonly Finding[]> {
  const found: Finding[] = []
  const entries = await readdir(folder, { withFileTypes: true })
  const isFile = new Map(entries.map((entry) => [entry.name, entry.isFile()]))
  for (const { name, bytes, sha256 } of manifest.files) {
    if (!isFile.has(name)) found.push({ file: name, message: 'is not there' })
    if (isFile.get(name) !== true) continue
    const actual = await hashFile(join(folder, name))
    if (actual.bytes !== bytes)
      found.push({ file: name, message: `has ${actual.bytes} bytes, the manifest says ${bytes}` })
    else if (actual.sha256 !== sha256)
      found.push({ file: name, message: 'has another SHA-256 than the manifest says' })
  }
  const known = new Set([MANIFEST_FILE, SIGNATURE_FILE, SUMS_FILE, ...manifest.files.map(({ name }) => name)])
  for (const [name, isPlain] of [...isFile].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (!known.has(name)) found.push({ file: name, message: 'is not in the manifest' })
    else if (!isPlain) found.push({ file: name, message: 'is a link or a folder, not a file' })
  }
  return found
}

/** Holds `SHA256SUMS` against the manifest and its own hash: it has each file once, in the order of their names. */
export async function checkListedSums(
  folder: string,
  manifest: Manifest,
  manifestSha256: string,
): Promise<readonly Finding[]> {
  const actual = await readSmallFile(folder, SUMS_FILE)
  if (actual === null) return [{ file: SUMS_FILE, message: 'is not there' }]
  const expected = [...manifest.files, { name: MANIFEST_FILE, sha256: manifestSha256 }]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, sha256 }) => `${sha256}  ${name}`)
  if (actual === `${expected.join('\n')}\n`) return []
  const lines = actual.split('\n')
  const wrong = expected.filter((line) => !lines.includes(line)).map((line) => line.slice(66))
  const what =
    wrong.length === 0 ? 'has other lines than those of the files' : `does not fit ${wrong.join(', ')}`
  return [{ file: SUMS_FILE, message: what }]
}

/** @returns null where there is no such file */
export async function readSmallFile(folder: string, name: string): Promise<string | null> {
  const bytes = await readIfThere(join(folder, name), ['ENOENT', 'EISDIR'])
  return bytes?.toString() ?? null
}
