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
  type Finding,
  MANIFEST_FILE,
  MAX_MANIFEST_BYTES,
  MAX_REPORT_BYTES,
  type Manifest,
  REPORT_FILE,
  SIGNATURE_FILE,
  SUMS_FILE,
} from '../packs/csv-files/pack-format.ts'
import { SUPERSEDED_FILE } from '../packs/earlier-packs.ts'

/**
 * Reads a signature: 64 bytes of Ed25519 in base64, and a line feed.
 *
 * @returns null if the file does not exist
 * @throws UnreadableFileError
 */
export function readSignature(folder: string, file: string): Buffer | null {
  const text = readSmallFile(folder, file)
  if (text === null) return null
  const signature = Buffer.from(text, 'base64')
  // Decoding skips characters that are not base64 and ignores bits after the last byte, so the text is
  // compared.
  if (signature.length !== 64 || text !== `${signature.toString('base64')}\n`)
    throw new UnreadableFileError(file, 'is not a signature in base64, as event-sync writes it')
  return signature
}

/** An Ed25519 public key, or several: a signature is valid if it matches one of them. */
export type PublicKeys = KeyObject | readonly KeyObject[]

/** Checks that a file of the folder is the signature of `signed`. @throws UnreadableFileError */
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
 * Compares the files of a pack with the manifest: each must be a plain file with the size and hash of the
 * manifest, and no other file may exist.
 */
export async function checkFiles(folder: string, manifest: Manifest): Promise<readonly Finding[]> {
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

/** Compares `SHA256SUMS` with the manifest and its hash: it must have each file once, sorted by name. */
export function checkListedSums(folder: string, manifest: Manifest, manifestSha256: string) {
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
 * Maximum size of small files, such as the sums, a signature and the description. In practice they are much
 * smaller.
 */
const MAX_SMALL_BYTES = 16 * 1024 * 1024

/** @throws UnreadableFileError */
export function readSmallFile(folder: string, name: string): string | null {
  return readRegular(folder, name, MAX_SMALL_BYTES)?.toString() ?? null
}

/**
 * Maximum size of files with rows or operations, enough for ten million items. Without this limit, a forger
 * could block `verify` with a huge sparse file, which takes no space on disk.
 */
const MAX_ROWS_BYTES = 16 * 1024 ** 3

const IS_OF_ROWS = /^(?:agenda|attendees|speakers|decisions|changes|load_results)\.csv$|^operations\.jsonl$/

function maxBytesOf(name: string): number {
  if (name === REPORT_FILE) return MAX_REPORT_BYTES
  if (IS_OF_ROWS.test(name)) return MAX_ROWS_BYTES
  return SUPERSEDED_FILE.test(name) ? MAX_MANIFEST_BYTES : MAX_SMALL_BYTES
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
 * Compares the description of the CSV files with the manifest and with the files: it has the size and hash of
 * each file, and the names and types of its columns.
 */
export async function checkDataPackage(folder: string, manifest: Manifest): Promise<readonly Finding[]> {
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

/** Returns the columns of a CSV file whose header was checked. */
async function headerOf(folder: string, name: string): Promise<readonly string[]> {
  for await (const line of linesOf(join(folder, name)))
    return line
      .toString()
      .replace(/^\uFEFF|\r\n$/g, '')
      .split(',')
  return []
}
