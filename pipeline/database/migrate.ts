import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Database, UNIQUE_VIOLATION } from '../../sql/database.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { TRANSFORMS } from '../../transforms/registry/platform-fields.ts'
import { type FieldComments, stagingSql, withDeclared } from '../../transforms/registry/staging-sql.ts'
import { systemCodeOf } from '../runtime/not-writable.ts'
import { packageRoot } from '../runtime/package-root.ts'
import { IS_READ_ONLY, READ_ONLY } from './sql-text.ts'

/** What the engines call a table or schema that is not there, and a right that the user has not. */
const UNDEFINED_TABLE: readonly string[] = ['42P01', '3F000']
const INSUFFICIENT_PRIVILEGE = '42501'

/** A file of sql/, or a table of staging as its source declares it. */
interface SqlFile {
  readonly kind: 'migrations' | 'staging' | 'views'
  readonly name: string
  readonly sha256: string
  readonly text: string
}

/** Where applied migrations are recorded; it must be there before the first of them. Safe to run twice, and at once. */
export const migrationLedger = `
select pg_advisory_xact_lock(hashtextextended('event-content-sync migrations', 0));
create schema if not exists migration;
comment on schema migration is 'Which migrations and views of the product this database has.';
create table if not exists migration.applied (
  name text primary key,
  sha256 text not null,
  applied_at timestamptz not null default now()
);
comment on table migration.applied is 'Files of sql/migrations and sql/views that were applied, and tables of staging.';
comment on column migration.applied.name is 'File.';
comment on column migration.applied.sha256 is 'SHA-256 of the file as it was applied.';
comment on column migration.applied.applied_at is 'When.';`

/**
 * Applies a file once, and records it, in one statement: two processes that start together do it one after the
 * other. What is no migration is applied again when its text is new; a migration that was changed is a fault.
 */
export function applyFile(file: SqlFile): string {
  const { kind, name, sha256, text } = file
  return `
select pg_advisory_xact_lock(hashtextextended('event-content-sync migrations', 0));
do $apply$
declare
  known text := (select sha256 from migration.applied where name = '${kind}/${name}');
begin
  if known = '${sha256}' then
    return;
  end if;
  if known is not null and '${kind}' = 'migrations' then
    raise exception 'migration ${name} is not the one that this database was made with';
  end if;
  execute $file$${text}$file$;
  insert into migration.applied (name, sha256) values ('${kind}/${name}', '${sha256}')
  on conflict on constraint applied_pkey do update set sha256 = excluded.sha256, applied_at = now();
end
$apply$`
}

const appliedFiles = 'select name, sha256 from migration.applied'

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
      'the schema of the database belongs to another version, and this user may not change it; run any command once as its owner, then sql/roles/grant.sql',
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
  if (applied.size === 0) throw new Error('the database is empty; run `event-sync run` first')
  const missing = files.find((file) => applied.get(nameOf(file)) !== file.sha256)
  if (missing === undefined) return
  throw new Error(
    `the database is of an earlier version (it lacks ${missing.name}); \`event-sync runs\` upgrades it`,
  )
}

/** Whether there is a schema, and whether it is that of this version, but for views. */
export async function schemaOf(database: Database, outside: readonly DeclaredSource[]) {
  const applied = await readApplied(database)
  const files = [...sqlFiles('migrations'), ...stagingFiles(outside)]
  if (applied.size === 0) return 'none'
  return files.every((file) => applied.get(nameOf(file)) === file.sha256) ? 'current' : 'other'
}

/** Identifies the schema of this version, without sources from outside. */
export function schemaHash(): string {
  const files = [...sqlFiles('migrations'), ...stagingFiles([]), ...sqlFiles('views')]
  const applied = files.map((file) => `${nameOf(file)} ${file.sha256}`)
  return hash('sha256', applied.join('\n'))
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
  return { kind, name, text, sha256: hash('sha256', text) }
}

/** Descriptions of the platform fields, from the contract of platforms. */
function fieldWords(): FieldComments {
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
