import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Database, UNIQUE_VIOLATION } from '../../sql/database.ts'
import { TRANSFORMS } from '../../transforms/decide/platform-fields.ts'
import { type FieldComments, stagingSql, withDeclared } from '../../transforms/decide/staging-sql.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { systemCodeOf } from '../runtime/not-writable.ts'
import { packageRoot } from '../runtime/package-root.ts'
import { UserError } from '../settings/errors.ts'
import { QUEUE_SCHEMA } from './job-queue.ts'
import { rowsOf } from './read-only.ts'

/** SQLSTATE error codes for a table, schema or column that does not exist. */
const UNDEFINED: readonly string[] = ['42P01', '3F000', '42703']
const INSUFFICIENT_PRIVILEGE = '42501'

/** A file in sql/, or the definition of a staging table that a source declares. */
interface SqlFile {
  readonly kind: 'migrations' | 'staging' | 'views'
  readonly name: string
  readonly sha256: string
  readonly text: string
}

/**
 * Creates the table that lists the applied migrations. The first migration needs this table. The statement
 * can run twice, also at the same time in two processes.
 */
export const migrationLedger = `
select pg_advisory_xact_lock(hashtextextended('event-content-sync migrations', 0));
create schema if not exists migration;
comment on schema migration is 'Migrations, staging tables and views of the product that were applied to this database.';
create table if not exists migration.applied (
  name text primary key,
  sha256 text not null,
  applied_at timestamptz not null default now()
);
comment on table migration.applied is 'One row for each applied file of sql/migrations and sql/views, and for each table of staging.';
comment on column migration.applied.name is 'Name of the file or table.';
comment on column migration.applied.sha256 is 'SHA-256 of the SQL text that was applied.';
comment on column migration.applied.applied_at is 'Time at which the file or table was last applied.';`

/**
 * Makes a statement that applies an SQL file once and records it. If two processes start at the same time,
 * one waits for the other. A view or staging table is applied again if its text has changed. If a migration
 * that was applied has changed since, the statement fails.
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

/** A source and the prefix of the names of its staging tables. */
export interface DeclaredSource {
  readonly name: string
  readonly transform: AnyTransform
}

/**
 * Brings the schema up to date. Each file of `sql/migrations/` is applied once, in the order of the file
 * names. Each staging table and each view of `sql/views/` is applied if its text has changed. The function
 * can run twice, also at the same time in two processes. If the schema is up to date, the database is only
 * read, so that a user without privileges on the schema can use it.
 *
 * @param outside sources that are not part of this package
 * @throws UserError before any change if the schemas cannot be created; Error if an applied migration was
 *   changed, if a newer version has upgraded the database, or if the user lacks a privilege
 */
export async function migrate(database: Database, outside: readonly DeclaredSource[] = []): Promise<void> {
  const files = [...sqlFiles('migrations'), ...stagingFiles(outside), ...sqlFiles('views')]
  const applied = (await readApplied(database)) ?? NOTHING_APPLIED
  requireKnown(files, applied)
  if (files.every((file) => applied.get(nameOf(file)) === file.sha256)) return
  const obstacle = await findObstacle(database)
  if (obstacle !== null) throw obstacle
  try {
    await database.script(migrationLedger).catch((error: unknown) => {
      if (systemCodeOf(error) !== UNIQUE_VIOLATION) throw error
      return database.script(migrationLedger)
    })
    for (const file of files) await database.script(applyFile(file))
  } catch (cause) {
    if (systemCodeOf(cause) !== INSUFFICIENT_PRIVILEGE) throw cause
    throw new Error(
      'the schema of the database belongs to another version, and this user may not change it; run any command once as its owner, then sql/roles/grant.sql',
      { cause },
    )
  }
}

/**
 * Checks that the schema is up to date, for commands that must not change it. The check does not compare
 * views.
 *
 * @throws Error that says how to upgrade the schema, or that a newer version has upgraded the database
 */
export async function requireMigrated(
  database: Database,
  outside: readonly DeclaredSource[] = [],
): Promise<void> {
  const files = [...sqlFiles('migrations'), ...stagingFiles(outside)]
  const applied = (await readApplied(database)) ?? NOTHING_APPLIED
  requireKnown(files, applied)
  if (applied.size === 0) throw new Error('the database is empty; run `event-sync run` first')
  const missing = files.find((file) => applied.get(nameOf(file)) !== file.sha256)
  if (missing === undefined) return
  throw new Error(
    `the database is of an earlier version (it lacks ${missing.name}); \`event-sync runs\` upgrades it`,
  )
}

/**
 * Returns `none` if there is no schema, `current` for the schema of this version, and `other` for any other
 * schema. The comparison leaves out the views.
 */
export async function schemaOf(database: Database, outside: readonly DeclaredSource[]) {
  const applied = (await readApplied(database)) ?? NOTHING_APPLIED
  const files = [...sqlFiles('migrations'), ...stagingFiles(outside)]
  if (applied.size === 0) return 'none'
  return files.every((file) => applied.get(nameOf(file)) === file.sha256) ? 'current' : 'other'
}

/** Returns a hash of the schema of this version. Tables of sources outside this package are left out. */
export function schemaHash(): string {
  const files = [...sqlFiles('migrations'), ...stagingFiles([]), ...sqlFiles('views')]
  const applied = files.map((file) => `${nameOf(file)} ${file.sha256}`)
  return hash('sha256', applied.join('\n'))
}

const nameOf = ({ kind, name }: SqlFile): string => `${kind}/${name}`

const CREATES_SCHEMA = /^create schema (\w+);/gm

/**
 * Returns the schemas of the product, each with the migration that creates it. The migration is null for a
 * schema that no migration creates.
 */
function ownSchemas(): ReadonlyMap<string, string | null> {
  const made = sqlFiles('migrations').flatMap((file) =>
    [...file.text.matchAll(CREATES_SCHEMA)].map(([, schema = '']) => [schema, nameOf(file)] as const),
  )
  return new Map([...made, ['migration', null], [QUEUE_SCHEMA, null]])
}

const privilege = `
select has_database_privilege(current_database(), 'create')::text, quote_ident(current_user), quote_ident(current_database())`

/**
 * Returns why the schemas of the product cannot be created in a database. Either another application has
 * schemas with the same names, or the user may not create schemas. The function creates nothing.
 *
 * @returns null if the schemas can be created or already exist
 */
export async function findObstacle(database: Database): Promise<UserError | null> {
  const own = ownSchemas()
  // The existing schemas are read first, and the applied migrations second. If the applied migrations were
  // read first, a schema that another process of this product creates between the two queries would look
  // foreign.
  const there = new Set((await rowsOf(database, 'select nspname from pg_namespace')).map(([name]) => name))
  const applied = await readApplied(database)
  const isOwn = (schema: string, file: string | null) => {
    if (schema === 'migration') return applied !== null
    return file === null ? (applied?.size ?? 0) > 0 : applied?.has(file) === true
  }
  const foreign = [...own].flatMap(([schema, file]) =>
    there.has(schema) && !isOwn(schema, file) ? [schema] : [],
  )
  if (foreign.length > 0) return otherSchemas(foreign, [...own.keys()])
  if ([...own].every(([schema, file]) => file === null || there.has(schema))) return null
  const [[mayCreate, user, name] = []] = await rowsOf(database, privilege)
  if (mayCreate === 'true') return null
  return new UserError(
    'state',
    `the user ${user} may not create schemas in the database ${name}`,
    `let its owner run \`grant create on database ${name} to ${user}\`, or run any command once as a user who may; nothing was made`,
  )
}

function otherSchemas(foreign: readonly string[], own: readonly string[]): UserError {
  const named = foreign.length === 1 ? 'a schema' : 'schemas'
  return new UserError(
    'state',
    `the database has ${named} named ${allOf(foreign)} that event-content-sync did not make`,
    `it makes the schemas ${allOf(own)} itself: give it a database of its own (\`create database event_sync encoding 'UTF8' locale 'C' template template0\`), or rename what is there; nothing was made`,
  )
}

/** Joins words: `['a', 'b', 'c']` becomes `a, b and c`. */
function allOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

const NOTHING_APPLIED: ReadonlyMap<string, string> = new Map()

/** Reads the names and SHA-256 hashes of the applied files; returns null if their table does not exist. */
async function readApplied(database: Database): Promise<ReadonlyMap<string, string> | null> {
  const applied = new Map<string, string>()
  try {
    for await (const { rows } of database.readOnly(appliedFiles)) {
      for (const [name, sha256] of rows) applied.set(name ?? '', sha256 ?? '')
    }
  } catch (error) {
    if (systemCodeOf(error) === INSUFFICIENT_PRIVILEGE) throw unreadable(error)
    if (!UNDEFINED.includes(systemCodeOf(error) ?? '')) throw error
    return null
  }
  return applied
}

function unreadable(cause: unknown): UserError {
  return new UserError(
    'state',
    'this user may not read the schema named migration in the database',
    'if event-content-sync made that schema, let its owner run sql/roles/grant.sql; if not, give event-content-sync a database of its own; nothing was made',
    { cause },
  )
}

/**
 * Throws an error for a database that a newer version has upgraded, because this version could damage it.
 * Also throws an error for a database of a version before 1.0.0, which cannot be upgraded.
 */
function requireKnown(files: readonly SqlFile[], applied: ReadonlyMap<string, string>): void {
  const known = files.filter(({ kind }) => kind === 'migrations').map(nameOf)
  const last = known.toSorted().at(-1) ?? ''
  const others = [...applied.keys()].filter((name) => name.startsWith('migrations/') && !known.includes(name))
  if (others.some((name) => name < last))
    throw new UserError(
      'state',
      'the database is of a version before 1.0.0, which is not upgraded',
      'give event-content-sync a new database; nothing was changed',
    )
  if (others.length === 0) return
  throw new Error(
    `the database was upgraded by a newer version of event-content-sync (${others.toSorted().join(', ')}); upgrade this one`,
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

/** Reads the descriptions of the platform fields from the platform contract. */
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
