import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../../sql/database.ts'
import {
  appliedFiles,
  applyFile,
  MADE_AT_ONCE,
  migrationLedger,
  NOT_ALLOWED,
  NOT_THERE,
  type SqlFile,
} from '../../sql/statements.ts'
import { packageRoot } from '../package-root.ts'

/**
 * Brings the schema up to date: each file of `sql/migrations/` once, in the order of the names, and each view of
 * `sql/views/` when its text is new. Safe to run twice, and by two processes at once. A database that is up to date is
 * only read, so that a user without rights to its schema can work with it.
 *
 * @throws where a migration that was applied has been changed since, where the database was upgraded by a newer
 *   version, or where the user may not do what is needed
 */
export async function migrate(database: Database): Promise<void> {
  const files = [...sqlFiles('migrations'), ...sqlFiles('views')]
  const applied = await readApplied(database)
  requireKnown(files, applied)
  if (files.every((file) => applied.get(nameOf(file)) === file.sha256)) return
  try {
    await database.script(migrationLedger).catch((error: unknown) => {
      if (codeOf(error) !== MADE_AT_ONCE) throw error
      return database.script(migrationLedger)
    })
    for (const file of files) await database.script(applyFile(file))
  } catch (cause) {
    if (codeOf(cause) !== NOT_ALLOWED) throw cause
    throw new Error(
      'the schema of the database is not that of this version, and this user may not change it; run any command once as its owner, then sql/roles/grant.sql',
      { cause },
    )
  }
}

/**
 * Looks whether the schema is there and up to date, for commands that make nothing; views do not matter to them.
 *
 * @throws saying what brings it up to date, or where the database was upgraded by a newer version
 */
export async function requireMigrated(database: Database): Promise<void> {
  const files = sqlFiles('migrations')
  const applied = await readApplied(database)
  requireKnown(files, applied)
  if (applied.size === 0) throw new Error('the database holds nothing yet; `event-sync run` reads the source')
  const missing = files.find((file) => applied.get(nameOf(file)) !== file.sha256)
  if (missing === undefined) return
  throw new Error(
    `the database is of an earlier version (it lacks ${missing.name}); \`event-sync runs\` brings it up to date`,
  )
}

const nameOf = ({ kind, name }: SqlFile): string => `${kind}/${name}`

/** Files that were applied, each with its SHA-256; none in a new database. */
async function readApplied(database: Database): Promise<ReadonlyMap<string, string>> {
  const applied = new Map<string, string>()
  try {
    for await (const { rows } of database.readOnly(appliedFiles)) {
      for (const [name, sha256] of rows) applied.set(name ?? '', sha256 ?? '')
    }
  } catch (error) {
    if (!NOT_THERE.includes(codeOf(error))) throw error
  }
  return applied
}

/** A newer version may rely on what this one would undo, or not keep up. */
function requireKnown(files: readonly SqlFile[], applied: ReadonlyMap<string, string>): void {
  const known = new Set(files.map(nameOf))
  const newer = [...applied.keys()].filter((name) => name.startsWith('migrations/') && !known.has(name))
  if (newer.length === 0) return
  throw new Error(
    `the database was upgraded by a newer version of event-content-sync (${newer.toSorted().join(', ')}); upgrade this one`,
  )
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function sqlFiles(kind: SqlFile['kind']): readonly SqlFile[] {
  const folder = join(packageRoot, 'sql', kind)
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return { kind, name, text, sha256: createHash('sha256').update(text).digest('hex') }
  })
}
