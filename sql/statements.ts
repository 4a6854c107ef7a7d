import { type RawBuilder, sql } from 'kysely'
import type { RunKey } from './tables.ts'

/** A database, or a transaction of it. */
type Executor = Parameters<RawBuilder<unknown>['execute']>[0]

/** Statements that no query builder makes; names come from the product's own code, never from data. */

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** `COPY` of text rows into a table, from the connection or from PGlite's blob device. */
export function copyStatement(
  table: string,
  columns: readonly string[],
  from: 'stdin' | "'/dev/blob'",
): string {
  const target = table.split('.').map(quote).join('.')
  return `copy ${target} (${columns.map(quote).join(', ')}) from ${from}`
}

/** For `create unlogged table`: not written to the log, so faster, and empty after a crash of the server. */
export const unlogged = sql`unlogged`

/**
 * How the text of statements is read and values are written in answers: as the product's own statements, the driver and
 * the contracts have it, whatever the database's owner has set for all who connect.
 */
export const sessionSettings = `
set standard_conforming_strings to on;
set datestyle to 'ISO';
set intervalstyle to 'postgres';
set bytea_output to 'hex';
set extra_float_digits to 1`

/** Opens a session for one integration; the lock dies with the connection. */
export const tryLock =
  "select pg_try_advisory_lock(hashtextextended('event-content-sync ' || $1, 0)) as locked"

/** Gives the lock back at once; ending the session does so too, but only when the server comes to it. */
export const unlock = "select pg_advisory_unlock(hashtextextended('event-content-sync ' || $1, 0))"

/** Waits until nobody who held the lock before is committing under it any more. */
export const awaitCommits = `
select pg_advisory_xact_lock(hashtextextended('event-content-sync commits ' || $1, 0))`

/** Makes whoever takes the lock next wait until this transaction has ended. */
export async function announceCommit(transaction: Executor, integrationId: string): Promise<void> {
  const key = sql`hashtextextended('event-content-sync commits ' || ${integrationId}, 0)`
  await sql`select pg_advisory_xact_lock_shared(${key})`.execute(transaction)
}

/** Answered only as long as the session is there. */
export const areYouThere = 'select 1'

/**
 * Code of PostgreSQL where two sessions make one thing at once, a schema say: "if not exists" looks at what its session
 * remembers, which may be older than a lock that it has waited for.
 */
export const MADE_AT_ONCE = '23505'

/** Where applied migrations are recorded; it must stand before the first of them. Safe to run twice, and at once. */
export const migrationLedger = `
select pg_advisory_xact_lock(hashtextextended('event-content-sync migrations', 0));
create schema if not exists migration;
comment on schema migration is 'Which migrations and views of the product this database has.';
create table if not exists migration.applied (
  name text primary key,
  sha256 text not null,
  applied_at timestamptz not null default now()
);
comment on table migration.applied is 'Files of sql/migrations and sql/views that were applied.';
comment on column migration.applied.name is 'File.';
comment on column migration.applied.sha256 is 'SHA-256 of the file as it was applied.';
comment on column migration.applied.applied_at is 'When.';`

/**
 * Applies a file once, and records it, in one statement: two processes that start together do it one after the
 * other. A view's file is applied again when its text is new; a migration that was changed is a fault.
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

/** Which files a database has, by `kind/name`; it fails where none was applied yet. */
export const appliedFiles = 'select name, sha256 from migration.applied'

/** What the engines call a table or schema that is not there, and a right that the user has not. */
export const NOT_THERE: readonly string[] = ['42P01', '3F000']
export const NOT_ALLOWED = '42501'

/** A file of this folder. */
export interface SqlFile {
  readonly kind: 'migrations' | 'views'
  readonly name: string
  readonly sha256: string
  readonly text: string
}

/** Rows that a statement writes before the planner must be told; below, its old figures still serve. */
const MANY_ROWS = 500n

/**
 * Tells the planner about a table into which many rows were just written, which the server itself would do
 * minutes later: without it the next statements of the run are planned for an empty table.
 */
export async function analyzeAfter(db: Executor, table: string, writtenRows: bigint): Promise<void> {
  if (writtenRows < MANY_ROWS) return
  await sql`select sync.refresh_statistics(${table}::regclass)`.execute(db)
}

/**
 * First statements of a transaction: nothing can be written, and values print the same whatever settings a
 * server, database or role has of its own.
 */
export const readOnlySettings = `set transaction read only;
set local time zone 'UTC';
set local datestyle to 'ISO, MDY';
set local intervalstyle to 'postgres';
set local bytea_output to 'hex';
set local extra_float_digits to 1;`

/**
 * Names of the tables of a schema, and nothing else about them: whoever asks for more (as kysely's introspection does)
 * fails where another process drops one of them meanwhile.
 */
export async function tablesOf(db: Executor, schema: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name
    from pg_catalog.pg_tables
    where schemaname = ${schema}`.execute(db)
  return rows.map(({ name }) => name)
}

/** Makes all queries of a transaction see one state, and lets none of them write; it must be its first statement. */
export async function inOneSnapshot(transaction: Executor): Promise<void> {
  await sql`set transaction isolation level repeatable read, read only`.execute(transaction)
}

/** Lets a transaction wait for a platform's answers, whatever limit the server has for that. */
export async function waitWithoutLimit(db: Parameters<RawBuilder<unknown>['execute']>[0]): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(db)
}

/** Keeps the session of a lock, whatever limit the server has for sessions that are idle. */
export const keepSession = 'set idle_session_timeout = 0'

/** Makes the room of erased rows free for others; `full` writes the table anew, and leaves nothing of them. */
export const vacuum = (table: string, isFull: boolean): string =>
  `vacuum (${isFull ? 'full, ' : ''}analyze) ${table.split('.').map(quote).join('.')}`

/** Tables of a list that the user may not vacuum: the server passes over them with no more than a warning. */
export const tablesOfOthers = `
select listed.name
from unnest($1::text[]) as listed (name)
join pg_class on pg_class.oid = listed.name::regclass
where not pg_has_role(relowner, 'usage')
order by listed.name`

/** Tables of the product and of the queue, and their size in pages. */
export const tablesToCopy = `
select format('%s.%s', nspname, relname) as name, pg_relation_size(pg_class.oid) / current_setting('block_size')::int as pages,
  array(
    select attname::text
    from pg_attribute
    where attrelid = pg_class.oid and attnum > 0 and not attisdropped
    order by attnum
  ) as columns
from pg_class
join pg_namespace on pg_namespace.oid = relnamespace
where relkind = 'r'
  and nspname in ('staging', 'sync', 'migration', 'queue')
order by name`

/** Whether workers have a queue in the database. */
export const hasQueue = `select to_regclass('queue.version') is not null as "isThere"`

/** Rows are copied table by table, in no order of what refers to what. */
export const takeRowsAsTheyAre = 'set session_replication_role = replica'

/** Empties tables that a new database has rows in. */
export const emptyTables = (tables: readonly string[]): string =>
  `truncate ${tables.map((table) => table.split('.').map(quote).join('.')).join(', ')} cascade`

/** Whatever else somebody has made in the database. */
export const relationsOfOthers = `
select format('%s.%s', nspname, relname) as name
from pg_class
join pg_namespace on pg_namespace.oid = relnamespace
where relkind in ('r', 'v', 'm', 'S', 'f', 'p')
  and nspname not in ('staging', 'sync', 'published', 'incoming', 'migration', 'queue', 'pg_catalog', 'information_schema')
  and nspname not like 'pg\\_%'
order by name`

/** `COPY` of the rows on some pages of a table, to PGlite's blob device. */
export function copyPages(
  table: string,
  columns: readonly string[],
  fromPage: number,
  toPage: number,
): string {
  const source = table.split('.').map(quote).join('.')
  return `copy (select ${columns.map(quote).join(', ')} from ${source} where ctid >= '(${fromPage},0)' and ctid < '(${toPage},0)') to '/dev/blob'`
}

/**
 * Deletes some rows of an integration: of a table of runs, those of runs before one; of a table with history, versions
 * that had ended when that run began to read.
 *
 * @returns how many; fewer than asked for where none are left
 */
export async function deleteSome(
  db: Executor,
  table: string,
  kind: 'run' | 'history',
  { integrationId, runId }: RunKey,
  most: number,
): Promise<number> {
  const isOver = kind === 'run' ? sql`run_id < ${runId}::uuid` : sql`valid_to_run <= ${runId}::uuid`
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)}
    where ctid in (
      select ctid from ${sql.table(table)} where integration_id = ${integrationId} and ${isOver} limit ${sql.lit(most)}
    )`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** How many rows `deleteSome` would delete in all. */
export async function countOver(
  db: Executor,
  table: string,
  kind: 'run' | 'history',
  { integrationId, runId }: RunKey,
): Promise<number> {
  const isOver = kind === 'run' ? sql`run_id < ${runId}::uuid` : sql`valid_to_run <= ${runId}::uuid`
  const { rows } = await sql<{ readonly rows: string }>`
    select count(*) as rows from ${sql.table(table)} where integration_id = ${integrationId} and ${isOver}`.execute(
    db,
  )
  return Number(rows[0]?.rows ?? 0)
}

/** All rows of a table. */
export const countRows = (table: string): string =>
  `select count(*)::int as rows from ${table.split('.').map(quote).join('.')}`

/** Tells the planner about all tables. */
export const analyzeAll = 'analyze'

/** The server's version as a number, such as 150018. */
export const serverVersion = 'show server_version_num'

/** A script as one transaction. */
export const begin = 'begin'
export const commit = 'commit'

/** Whether a script is a transaction of its own. */
export const isTransaction = (script: string): boolean => /^\s*begin\b/i.test(script)

/** What the demo suggests to try. */
export const demoQuery = (integrationId: string): string =>
  `select local_start, location, name from published.agenda where integration_id = '${integrationId}' order by start_time, name limit 5`

/** What somebody is told to look with for the ids that there are. */
export const decisionsQuery = (integrationId: string, content: string): string =>
  `select source_id, unique_id, decision, reason from published.decisions where integration_id = '${integrationId}' and content = '${content}'`

/** Reads a result page by page; only queries can stand in a cursor. */
export const declareCursor = (query: string): string => `declare page_by_page no scroll cursor for ${query}`
export const fetchPage = 'fetch 1000 from page_by_page'

/** Whether a query asks for a plan, which cannot stand in a cursor. */
export const isExplain = (query: string): boolean => /^(\s|--.*\n)*explain\b/i.test(query)

/** A row that a check of `sql/checks/` has found. */
export interface CheckRow {
  /** Content or resource that it is of. */
  readonly subject: string
  /** Id of the record or item; null where the row is of many. */
  readonly id: string | null
  readonly detail: string
}

/**
 * The rows of a check that one run answers for, and how many there are.
 *
 * @param query text of a file of `sql/checks/`
 * @param most rows that are wanted
 */
export async function selectCheckRows(
  db: Executor,
  query: string,
  { integrationId, runId }: RunKey,
  most: number,
): Promise<{ readonly rows: readonly CheckRow[]; readonly count: number }> {
  const { rows } = await sql<CheckRow & { readonly count: string }>`
    select subject, id, detail, count(*) over () as count
    from (
      ${sql.raw(query)}
    ) as found
    where integration_id = ${integrationId}
      and run_id = ${runId}::uuid
    limit ${sql.lit(most)}`.execute(db)
  return { rows, count: Number(rows[0]?.count ?? 0) }
}
