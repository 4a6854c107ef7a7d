import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as zlib from 'node:zlib'
import { packageRoot } from '../runtime/package-root.ts'
import { schemaHash } from './migrate.ts'

/**
 * PGlite recognises a database directory by this file. The file has another name while the template is being
 * copied.
 */
const VERSION_FILE = 'PG_VERSION'
const UNFINISHED_FILE = 'PG_VERSION.partial'

/**
 * An entry of the template: a path within the directory, and the length of the file. A folder has no length.
 */
type Entry = readonly [path: string, length?: number]

/**
 * Returns the path of the template for this schema and this engine version. A template for another schema or
 * engine has another path.
 */
function templateFile(): string {
  const { dependencies } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  const engine = dependencies['@electric-sql/pglite']
  const key = hash('sha256', `${engine} ${schemaHash()}`)
  return join(packageRoot, 'dist', 'database', `${key.slice(0, 16)}.zst`)
}

/**
 * Copies the template into the directory of a new database. Copying takes a twentieth of the time that
 * creating a database takes. If a process died while copying, the template is copied again. The caller must
 * hold the lock of the directory.
 *
 * @returns true if the template exists and the directory was new
 */
export function copyTemplate(directory: string, template?: string): boolean {
  const names = readdirSync(directory)
  if (names.length > 0 && !names.includes(UNFINISHED_FILE)) return false
  for (const name of names) {
    if (name !== UNFINISHED_FILE) rmSync(join(directory, name), { recursive: true })
  }
  rmSync(join(directory, UNFINISHED_FILE), { force: true })
  const file = template ?? templateFile()
  if (!existsSync(file)) return false
  for (const { path, bytes } of entriesOf(file)) {
    if (bytes === null) mkdirSync(join(directory, path), { mode: 0o700 })
    else writeFileSync(join(directory, path), bytes, { mode: 0o600 })
  }
  renameSync(join(directory, UNFINISHED_FILE), join(directory, VERSION_FILE))
  return true
}

/**
 * Returns the template as a tar archive; null if there is no template. PGlite loads the archive into memory five
 * times as fast as it creates a database.
 */
export function templateArchive(template = templateFile()): Blob | null {
  if (!existsSync(template)) return null
  const blocks = [...entriesOf(template)].flatMap(({ path, bytes }) => {
    const name = path === UNFINISHED_FILE ? VERSION_FILE : path
    const length = bytes?.length ?? 0
    return [tarHeader(name, bytes === null, length), ...(bytes === null ? [] : [bytes]), paddingOf(length)]
  })
  return new Blob([...blocks, new Uint8Array(2 * TAR_BLOCK)])
}

/** Reads the folders and files of a template. The bytes of a folder are null. */
function* entriesOf(
  file: string,
): Generator<{ readonly path: string; readonly bytes: Uint8Array<ArrayBuffer> | null }> {
  const whole = new Uint8Array(zlib.zstdDecompressSync(readFileSync(file)))
  let at = whole.indexOf(LINE_FEED) + 1
  const entries: readonly Entry[] = JSON.parse(Buffer.from(whole.subarray(0, at)).toString())
  for (const [path, length] of entries) {
    yield { path, bytes: length === undefined ? null : whole.subarray(at, at + length) }
    at += length ?? 0
  }
}

const LINE_FEED = 10
const TAR_BLOCK = 512
const paddingOf = (length: number) => new Uint8Array((TAR_BLOCK - (length % TAR_BLOCK)) % TAR_BLOCK)

/** Returns the header of a file or folder in a tar archive (POSIX.1-1988). */
function tarHeader(path: string, isFolder: boolean, length: number): Uint8Array<ArrayBuffer> {
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits - 1, '0')}\0`
  const [mode, owner, time] = [octal(isFolder ? 0o700 : 0o600, 8), octal(0, 8), octal(0, 12)]
  const before = `${path.padEnd(100, '\0')}${mode}${owner}${owner}${octal(length, 12)}${time}`
  const after = `${isFolder ? 5 : 0}`.padEnd(101, '\0').concat('ustar\x0000')
  const headerWith = (sum: string) =>
    new TextEncoder().encode(`${before}${sum}${after}`.padEnd(TAR_BLOCK, '\0'))
  const sum = headerWith(' '.repeat(8)).reduce((all, byte) => all + byte, 0)
  return headerWith(`${octal(sum, 7)} `)
}

/** Writes the template of this version: one compressed file with the directory of a closed database. */
export function writeTemplate(directory: string, template = templateFile()): void {
  const found = readdirSync(directory, { recursive: true, withFileTypes: true })
  const contents = [Buffer.alloc(0)]
  const entries = found
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name).slice(directory.length + 1) }))
    // A folder is written before its files. The file that marks an unfinished copy is written first.
    .toSorted(
      (a, b) =>
        Number(b.path === VERSION_FILE) - Number(a.path === VERSION_FILE) || (a.path < b.path ? -1 : 1),
    )
    .map(({ entry, path }): Entry => {
      if (entry.isDirectory()) return [path]
      const bytes = readFileSync(join(directory, path))
      contents.push(bytes)
      return [path === VERSION_FILE ? UNFINISHED_FILE : path, bytes.length]
    })
  const whole = Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...contents])
  // The compression window is large enough to find the same tables again in the next database of the
  // directory.
  const params = { [zlib.constants.ZSTD_c_compressionLevel]: 12, [zlib.constants.ZSTD_c_windowLog]: 25 }
  mkdirSync(join(template, '..'), { recursive: true })
  writeFileSync(`${template}.partial`, zlib.zstdCompressSync(whole, { params }))
  renameSync(`${template}.partial`, template)
}
