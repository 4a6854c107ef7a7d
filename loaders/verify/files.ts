import { lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from '../audit/csv-files/finding.ts'
import { MAX_MANIFEST_BYTES, type Manifest } from '../audit/csv-files/manifest.ts'
import {
  MANIFEST_FILE,
  MAX_REPORT_BYTES,
  REPORT_FILE,
  SIGNATURE_FILE,
  SUMS_FILE,
} from '../audit/csv-files/pack-files.ts'
import { SUPERSEDED_FILE } from '../audit/superseded.ts'
import { hashFile } from '../files/hash-file.ts'
import { readRegular, tooLarge } from '../files/read-regular.ts'

/** Compares the files of a pack with the manifest: each is a plain file with the bytes and hash it had, and there are no others. */
export async function checkFiles(folder: string, manifest: Manifest): Promise<readonly Finding[]> {
  const found: Finding[] = []
  const entries = await readdir(folder, { withFileTypes: true })
  const isFile = new Map(entries.map((entry) => [entry.name, entry.isFile()]))
  for (const { name, bytes, sha256 } of manifest.files) {
    if (!isFile.has(name)) found.push({ file: name, message: 'is not there' })
    if (isFile.get(name) !== true) continue
    const { size } = lstatSync(join(folder, name))
    if (size !== bytes) found.push({ file: name, message: `has ${size} bytes, the manifest says ${bytes}` })
    else if (size > maxBytesOf(name)) found.push({ file: name, message: tooLarge(size, maxBytesOf(name)) })
    else if ((await hashFile(join(folder, name))).sha256 !== sha256)
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
export function checkListedSums(folder: string, manifest: Manifest, manifestSha256: string) {
  const actual = readSmallFile(folder, SUMS_FILE)
  if (actual === null) return [{ file: SUMS_FILE, message: 'is not there' }]
  const expected = [...manifest.files, { name: MANIFEST_FILE, sha256: manifestSha256 }]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, sha256 }) => `${sha256}  ${name}`)
  if (actual === `${expected.join('\n')}\n`) return []
  const listed = new Set(actual.split('\n'))
  const wrong = expected.filter((line) => !listed.has(line)).map((line) => line.slice(66))
  const what =
    wrong.length === 0 ? 'has other lines than those of the files' : `does not fit ${wrong.join(', ')}`
  return [{ file: SUMS_FILE, message: what }]
}

/** Sums, a signature, a description: none of them comes near this. */
const MAX_SMALL_BYTES = 16 * 1024 * 1024

/** @throws UnreadableFileError */
export function readSmallFile(folder: string, name: string): string | null {
  return readRegular(folder, name, MAX_SMALL_BYTES)?.toString() ?? null
}

/** Rows and operations of ten million items; the file may be a hole that costs who made it nothing. */
const MAX_ROWS_BYTES = 16 * 1024 ** 3

const IS_OF_ROWS = /^(?:agenda|attendees|speakers|decisions|changes|load_results)\.csv$|^operations\.jsonl$/

function maxBytesOf(name: string): number {
  if (name === REPORT_FILE) return MAX_REPORT_BYTES
  if (IS_OF_ROWS.test(name)) return MAX_ROWS_BYTES
  return SUPERSEDED_FILE.test(name) ? MAX_MANIFEST_BYTES : MAX_SMALL_BYTES
}
