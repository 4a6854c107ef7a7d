import { type KeyObject, verify } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import {
  hashFile,
  linesOf,
  listOf,
  parseWritten,
  readRegular,
  tooLarge,
  UnreadableFileError,
} from '../files/read.ts'
import { csvFilesOf } from '../packs/csv-files/pack-files.ts'
import {
  DETAILS_FILE,
  type Finding,
  MANIFEST_FILE,
  MAX_MANIFEST_BYTES,
  MAX_REPORT_BYTES,
  REPORT_FILE,
  SIGNATURE_FILE,
  SUMS_FILE,
  type WholeManifest,
} from '../packs/csv-files/pack-format.ts'
import { SUPERSEDED_FILE } from '../packs/earlier-packs.ts'

/**
 * Reads a signature file, which contains an Ed25519 signature of 64 bytes in base64 and a line feed.
 *
 * @returns null if the file does not exist
 * @throws UnreadableFileError
 */
export function readSignature(folder: string, file: string): Buffer | null {
  const text = readSmallFile(folder, file)
  if (text === null) return null
  const signature = Buffer.from(text, 'base64')
  // Decoding base64 skips foreign characters and ignores bits after the last byte, so the text itself is
  // compared too.
  if (signature.length !== 64 || text !== `${signature.toString('base64')}\n`)
    throw new UnreadableFileError(file, 'is not a signature in base64, as event-sync writes it')
  return signature
}

/** One or several Ed25519 public keys: a signature is valid if it matches at least one of them. */
export type PublicKeys = KeyObject | readonly KeyObject[]

/**
 * Checks that a file of the folder is a valid signature of the bytes `signed`. @throws UnreadableFileError
 */
export function checkSignature(
  folder: string,
  file: string,
  signed: Buffer,
  publicKey: PublicKeys,
): readonly Finding[] {
  const signature = readSignature(folder, file)
  if (signature === null) return [{ file, message: 'is missing' }]
  return [publicKey].flat().some((key) => verify(null, signed, key, signature))
    ? []
    : [{ file, message: 'does not match the public key' }]
}

/**
 * Compares the files of a pack with its manifest. Each file must be a plain file with the size and hash in
 * the manifest, and no other file may exist.
 */
export async function checkFiles(folder: string, manifest: WholeManifest): Promise<readonly Finding[]> {
  const found: Finding[] = []
  const entries = await readdir(folder, { withFileTypes: true })
  const isFile = new Map(entries.map((entry) => [entry.name, entry.isFile()]))
  for (const { name, bytes, sha256 } of manifest.files) {
    if (!isFile.has(name)) found.push({ file: name, message: 'is missing' })
    if (isFile.get(name) !== true) continue
    const { size } = lstatSync(join(folder, name))
    if (size !== bytes) found.push({ file: name, message: `has ${size} bytes, the manifest says ${bytes}` })
    else if (size > maxBytesOf(name)) found.push({ file: name, message: tooLarge(size, maxBytesOf(name)) })
    else if ((await hashFile(join(folder, name))).sha256 !== sha256)
      found.push({ file: name, message: 'does not have the SHA-256 in the manifest' })
  }
  const known = new Set([MANIFEST_FILE, SIGNATURE_FILE, SUMS_FILE, ...manifest.files.map(({ name }) => name)])
  for (const [name, isPlain] of [...isFile].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (!known.has(name)) found.push({ file: name, message: 'is not in the manifest' })
    else if (!isPlain) found.push({ file: name, message: 'is a link or a folder, not a file' })
  }
  return found
}

/**
 * Compares `SHA256SUMS` with the manifest. `SHA256SUMS` must list the manifest and each of its files once,
 * sorted by name.
 */
export function checkListedSums(folder: string, manifest: WholeManifest, manifestSha256: string) {
  const actual = readSmallFile(folder, SUMS_FILE)
  if (actual === null) return [{ file: SUMS_FILE, message: 'is missing' }]
  const expected = [...manifest.files, { name: MANIFEST_FILE, sha256: manifestSha256 }]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, sha256 }) => `${sha256}  ${name}`)
  if (actual === `${expected.join('\n')}\n`) return []
  const listed = new Set(actual.split('\n'))
  const wrong = expected.filter((line) => !listed.has(line)).map((line) => line.slice(66))
  const what =
    wrong.length === 0 ? 'has extra lines, or lines in another order' : `does not match ${wrong.join(', ')}`
  return [{ file: SUMS_FILE, message: what }]
}

/**
 * Maximum size in bytes of small files, such as the sums, a signature and the description. Real files of this
 * kind are much smaller.
 */
const MAX_SMALL_BYTES = 16 * 1024 * 1024

/** @throws UnreadableFileError */
export function readSmallFile(folder: string, name: string): string | null {
  return readRegular(folder, name, MAX_SMALL_BYTES)?.toString() ?? null
}

/**
 * Maximum size in bytes of files with rows or operations, which is enough for ten million items. Without a
 * maximum size, a forger could keep `verify` busy with a huge sparse file, which takes no space on disk.
 */
const MAX_ROWS_BYTES = 16 * 1024 ** 3

const IS_OF_ROWS = /^(?:agenda|attendees|speakers|decisions|changes|load_results)\.csv$|^operations\.jsonl$/

/** Returns the maximum size in bytes of a file of a pack. */
export function maxBytesOf(name: string): number {
  if (name === REPORT_FILE) return MAX_REPORT_BYTES
  if (IS_OF_ROWS.test(name)) return MAX_ROWS_BYTES
  return name === DETAILS_FILE || SUPERSEDED_FILE.test(name) ? MAX_MANIFEST_BYTES : MAX_SMALL_BYTES
}

const FILE = 'datapackage.json'

const packageSchema = z.object({
  resources: listOf(
    z.object({
      path: z.string(),
      bytes: z.int(),
      hash: z.string(),
      schema: z.object({ fields: listOf(z.object({ name: z.string(), type: z.string() })) }),
    }),
  ),
})

/**
 * Compares the description of the CSV files with the manifest and with the files. It must have the size and
 * hash of each file, and the names and types of its columns.
 */
export async function checkDataPackage(folder: string, manifest: WholeManifest): Promise<readonly Finding[]> {
  const bytes = readRegular(folder, FILE, MAX_SMALL_BYTES) ?? Buffer.alloc(0)
  const parsed = packageSchema.safeParse(parseWritten(bytes))
  if (!parsed.success) return [{ file: FILE, message: 'is not a description of the CSV files' }]
  const lineOf = (...of: readonly [path: string, bytes: number, hash: string]) => of.join(' ')
  const said = parsed.data.resources.map(({ path, bytes, hash }) => lineOf(path, bytes, hash)).sort()
  const actual = manifest.files
    .filter(({ name }) => name.endsWith('.csv'))
    .map(({ name, bytes, sha256 }) => lineOf(name, bytes, `sha256:${sha256}`))
    .sort()
  if (said.join('\n') !== actual.join('\n'))
    return [{ file: FILE, message: 'has other files, sizes or hashes than the manifest' }]
  const found: Finding[] = []
  for (const { path, schema } of parsed.data.resources) {
    const declared = csvFilesOf().find(({ name }) => name === path)
    if (declared === undefined) continue
    const columns = (await headerOf(folder, path)).map((name) => [
      name,
      declared.columns[name]?.type ?? 'string',
    ])
    if (
      !isDeepStrictEqual(
        schema.fields.map(({ name, type }) => [name, type]),
        columns,
      )
    )
      found.push({ file: FILE, message: `has other columns or types for ${path} than the file` })
  }
  return found
}

/** Returns the columns in the header of a CSV file; another check has already checked the header. */
async function headerOf(folder: string, name: string): Promise<readonly string[]> {
  for await (const line of linesOf(join(folder, name)))
    return line
      .toString()
      .replace(/^\uFEFF|\r\n$/g, '')
      .split(',')
  return []
}
