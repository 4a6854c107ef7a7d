import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Database } from '../../sql/database.ts'
import {
  appliedFiles,
  applyFile,
  INSUFFICIENT_PRIVILEGE,
  IS_READ_ONLY,
  migrationLedger,
  READ_ONLY,
  type SqlFile,
  UNDEFINED_TABLE,
  UNIQUE_VIOLATION,
} from '../../sql/statements.ts'
import type { AnyTransform } from '../../transforms/declare/source-transform.ts'
import { type FieldWords, withDeclared } from '../../transforms/registry/declared-sql.ts'
import { stagingSql } from '../../transforms/registry/staging-sql.ts'
import { TRANSFORMS } from '../../transforms/registry/transforms.ts'
import { systemCodeOf } from '../runtime/not-writable.ts'
import { packageRoot } from '../runtime/package-root.ts'

/** A source, and the name with which its tables begin. */
export interface DeclaredSource {
  readonly name: string
  readonly transform: AnyTransform
}

/**
 * Brings the schema up to date: each file of `sql/migrations/` once, in the order of the names; each table of staging and
 * each view of `sql/views/` when its text is new. Safe to run twice, and by two processes at once. A database that is up to date is
 * only read, so that a user without rights to its schema can use it.
 *
 * @param outside sources that do not come with this package
 * @throws where a migration that was applied has been changed since, where the database was upgraded by a newer
 *   version, or where the user may not do what is needed
 */
export async function migrate(database: Database, outside: readonly DeclaredSource[] = []): Promise<void> {
  const files = [...sqlFiles('migrations'), ...stagingFiles(outside), ...sqlFiles('views')]
  const applied = await readApplied(database)
  requireKnown(files, applied)
  if (files.every((file) => applied.get(nameOf(file)) === file.sha256)) return
  try {
    await database.script(migrationLedger).catch((error: unknown) => {
      if (systemCodeOf(error) !== UNIQUE_VIOLATION) throw error
      return database.script(migrationLedger)
    })
    for (const file of files) await database.script(applyFile(file))
  } catch (cause) {
    if (systemCodeOf(cause) === READ_ONLY) throw new Error(IS_READ_ONLY, { cause })
    if (systemCodeOf(cause) !== INSUFFICIENT_PRIVILEGE) throw cause
    throw new Error(
      'the schema of the database is not that of this version, and this user may not change it; run any command once as its owner, then sql/roles/grant.sql',
      { cause },
    )
  }
}

/**
 * Checks that the schema is up to date, for commands that change nothing; views do not matter to them.
 *
 * @throws saying what brings it up to date, or where the database was upgraded by a newer version
 */
export async function requireMigrated(
  database: Database,
  outside: readonly DeclaredSource[] = [],
): Promise<void> {
  const files = [...sqlFiles('migrations'), ...stagingFiles(outside)]
  const applied = await readApplied(database)
  requireKnown(files, applied)
  if (applied.size === 0) throw new Error('the database holds nothing yet; `event-sync run` reads the source')
  const missing = files.find((file) => applied.get(nameOf(file)) !== file.sha256)
  if (missing === undefined) return
  throw new Error(
    `the database is of an earlier version (it lacks ${missing.name}); \`event-sync runs\` brings it up to date`,
  )
}

/** Whether the schema is that of this version, but for views. */
export async function isMigrated(database: Database, outside: readonly DeclaredSource[]): Promise<boolean> {
  const applied = await readApplied(database)
  const files = [...sqlFiles('migrations'), ...stagingFiles(outside)]
  return files.every((file) => applied.get(nameOf(file)) === file.sha256)
}

const nameOf = ({ kind, name }: SqlFile): string => `${kind}/${name}`

/** Applied files, each with its SHA-256; none in a new database. */
async function readApplied(database: Database): Promise<ReadonlyMap<string, string>> {
  const applied = new Map<string, string>()
  try {
    for await (const { rows } of database.readOnly(appliedFiles)) {
      for (const [name, sha256] of rows) applied.set(name ?? '', sha256 ?? '')
    }
  } catch (error) {
    if (!UNDEFINED_TABLE.includes(systemCodeOf(error) ?? '')) throw error
  }
  return applied
}

/** What this version writes may break a newer one. */
function requireKnown(files: readonly SqlFile[], applied: ReadonlyMap<string, string>): void {
  const known = new Set(files.map(nameOf))
  const newer = [...applied.keys()].filter((name) => name.startsWith('migrations/') && !known.has(name))
  if (newer.length === 0) return
  throw new Error(
    `the database was upgraded by a newer version of event-content-sync (${newer.toSorted().join(', ')}); upgrade this one`,
  )
}

function sqlFiles(kind: SqlFile['kind']): readonly SqlFile[] {
  const words = fieldWords()
  const folder = join(packageRoot, 'sql', kind)
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names
    .sort()
    .map((name) => sqlFile(kind, name, withDeclared(readFileSync(join(folder, name), 'utf8'), words)))
}

function stagingFiles(outside: readonly DeclaredSource[]): readonly SqlFile[] {
  const own = Object.entries(TRANSFORMS).map(([name, transform]) => ({ name, transform }))
  return [...own, ...outside].flatMap(({ name, transform }) =>
    stagingSql(name, transform).map(({ table, text }) => sqlFile('staging', table, text)),
  )
}

function sqlFile(kind: SqlFile['kind'], name: string, text: string): SqlFile {
  return { kind, name, text, sha256: createHash('sha256').update(text).digest('hex') }
}

/** Descriptions of the platform fields, from the contract of platforms. */
function fieldWords(): FieldWords {
  const file = join(packageRoot, 'loaders', 'platform', 'contract', 'platform.schema.json')
  const { $defs } = schemaSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  return $defs
}

const described = z
  .object({ properties: z.record(z.string(), z.object({ description: z.string() })) })
  .transform(({ properties }) =>
    Object.fromEntries(Object.entries(properties).map(([name, { description }]) => [name, description])),
  )
const schemaSchema = z.object({
  $defs: z.object({ agenda: described, speakers: described, attendees: described }),
})
