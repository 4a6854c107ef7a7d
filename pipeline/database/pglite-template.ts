import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as zlib from 'node:zlib'
import { packageRoot } from '../runtime/package-root.ts'
import { schemaHash } from './migrate.ts'

/** By this file PGlite knows a database; while the template is copied it has another name. */
const VERSION_FILE = 'PG_VERSION'
const UNFINISHED_FILE = 'PG_VERSION.partial'

/** A path within the directory, and the length of the file; none for a folder. */
type Entry = readonly [path: string, length?: number]

/** The build makes one for its schema and engine; another version does not find it. */
function templateFile(): string {
  const { dependencies } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  const engine = dependencies['@electric-sql/pglite']
  const key = hash('sha256', `${engine} ${schemaHash()}`)
  return join(packageRoot, 'dist', 'database', `${key.slice(0, 16)}.zst`)
}

/**
 * Fills the directory of a new database with the template, which takes a twentieth of the time that making one does. A copy
 * that a process left unfinished is made again. The caller holds the lock of the directory.
 *
 * @returns true if there is a template, and the directory was new
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
  const bytes = zlib.zstdDecompressSync(readFileSync(file))
  let at = bytes.indexOf('\n') + 1
  const entries: readonly Entry[] = JSON.parse(bytes.toString('utf8', 0, at))
  for (const [path, length] of entries) {
    if (length === undefined) mkdirSync(join(directory, path), { mode: 0o700 })
    else {
      writeFileSync(join(directory, path), bytes.subarray(at, at + length), { mode: 0o600 })
      at += length
    }
  }
  renameSync(join(directory, UNFINISHED_FILE), join(directory, VERSION_FILE))
  return true
}

/** Makes a closed database the template of this version: its directory in one file. */
export function writeTemplate(directory: string, template = templateFile()): void {
  const found = readdirSync(directory, { recursive: true, withFileTypes: true })
  const contents = [Buffer.alloc(0)]
  const entries = found
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name).slice(directory.length + 1) }))
    // A folder before what is in it; what says that the copy is unfinished before everything.
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
  // The window reaches from the tables of one database to the same of the next.
  const params = { [zlib.constants.ZSTD_c_compressionLevel]: 12, [zlib.constants.ZSTD_c_windowLog]: 25 }
  mkdirSync(join(template, '..'), { recursive: true })
  writeFileSync(`${template}.partial`, zlib.zstdCompressSync(whole, { params }))
  renameSync(`${template}.partial`, template)
}
