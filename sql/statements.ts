import { type RawBuilder, sql } from 'kysely'
import type { Db, RunKey } from './tables.ts'

/** Statements that no query builder makes; names come from the product's own code, never from data. */

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** `COPY` of text rows into a table, from the connection or from PGlite's blob device. */
export function copyStatement(table: string, columns: readonly string[], from: 'stdin' | "'/dev/blob'") {
  const target = table.split('.').map(quote).join('.')
  return `copy ${target} (${columns.map(quote).join(', ')}) from ${from}`
}

/** For `create unlogged table`: not written to the log, so faster, and empty after a crash of the server. */
export const unlogged = sql`unlogged`

/**
 * How the text of statements is read and values are written in answers: as the product's own statements, the driver and
 * the contracts have it, whatever the database's owner has set for all who connect; an idle session is kept, since a
 * run reads its source meanwhile; and one whose process is gone without a word ends within minutes, with its lock.
 * Compiling statements (jit) costs a run more than it saves.
 */
export const sessionSettings = `
set standard_conforming_strings to on;
set datestyle to 'ISO';
set intervalstyle to 'postgres';
set bytea_output to 'hex';
set extra_float_digits to 1;
set idle_session_timeout to 0;
set jit to off;
set tcp_keepalives_idle to 30;
set tcp_keepalives_interval to 10`

/** Opens a session for one integration; the lock dies with the connection. */
export const tryLock = `
select
  current_setting('transaction_read_only') = 'on' as read_only,
  pg_try_advisory_lock(hashtextextended('event-content-sync ' || $1, 0)) as locked`

/** Whether a session holds the lock of an integration, without taking it. */
export async function isLocked(db: Db, integrationId: string): Promise<boolean> {
  const key = sql`hashtextextended('event-content-sync ' || ${integrationId}, 0)`
  const { rows } = await sql<{ locked: boolean }>`select exists (
    select
    from pg_locks
    where locktype = 'advisory'
      and mode = 'ExclusiveLock'
      and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and classid::bigint = (${key} >> 32) & 4294967295
      and objid::bigint = ${key} & 4294967295
  ) as locked`.execute(db)
  return rows[0]?.locked === true
}

/** Gives the lock back at once; ending the session does so too, but only when the server comes to it. */
export const unlock = "select pg_advisory_unlock(hashtextextended('event-content-sync ' || $1, 0))"

/** Waits until nobody who held the lock before is committing under it any more. */
export const awaitCommits = `
select pg_advisory_xact_lock(hashtextextended('event-content-sync commits ' || $1, 0))`

/** Makes anyone who takes the lock next wait until this transaction has ended. */
export async function announceCommit(transaction: Db, integrationId: string): Promise<void> {
  const key = sql`hashtextextended('event-content-sync commits ' || ${integrationId}, 0)`
  await sql`select pg_advisory_xact_lock_shared(${key})`.execute(transaction)
}

/** The session of the server that answers: another one each time where a pooler hands out transactions. */
export const backend = 'select pg_backend_pid() as pid'

/** Answered only as long as the session is there. */
export const ping = 'select 1'

/** Which of these processes of the server wait for their client, to read from it or to write to it. */
export const waitingForClient = `
select pid, state
from pg_stat_activity
where pid = any($1)
  and wait_event_type = 'Client'`

/** Two sessions make one thing at once, such as a schema: "if not exists" may look at what a session remembers. */
export const UNIQUE_VIOLATION = '23505'

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

export const appliedFiles = 'select name, sha256 from migration.applied'

/** What the engines call a table or schema that is not there, and a right that the user has not. */
export const UNDEFINED_TABLE: readonly string[] = ['42P01', '3F000']
export const INSUFFICIENT_PRIVILEGE = '42501'

/** What the server calls a write into a database that takes none, and what that means. */
export const READ_ONLY = '25006'
export const IS_READ_ONLY =
  'the database takes no writes: it is a standby, or default_transaction_read_only is on for it or its user; name the primary in `database`'

/** A file of this folder, or a table of staging as its source declares it. */
export interface SqlFile {
  readonly kind: 'migrations' | 'staging' | 'views'
  readonly name: string
  readonly sha256: string
  readonly text: string
}

/** Rows that a statement writes before the planner needs new figures; below, the old ones still serve. */
const MANY_ROWS = 500n

/**
 * Gives the planner new figures of a table into which many rows were just written, which the server itself would do
 * minutes later: without it the next statements of the run are planned for an empty table.
 */
export async function analyzeAfter(db: Db, table: string, writtenRows: bigint): Promise<void> {
  if (writtenRows < MANY_ROWS) return
  await sql`select sync.refresh_statistics(${table}::regclass)`.execute(db)
}

/**
 * The same for a table that is written part by part: again whenever twice as much was written, so that a million rows cost
 * the planner a dozen looks, and its figures are never off by more than half of them.
 */
export function analyzeAsWritten(table: string): (db: Db, writtenRows: bigint) => Promise<void> {
  let written = 0n
  let due = MANY_ROWS
  return async (db, writtenRows) => {
    written += writtenRows
    if (written < due) return
    due = 2n * written
    await analyzeAfter(db, table, written)
  }
}

/** First statements of a transaction that cannot write; values print the same whatever the settings of the server. */
export const readOnlySettings = `set transaction read only;
set local time zone 'UTC';
set local datestyle to 'ISO, MDY';
set local intervalstyle to 'postgres';
set local bytea_output to 'hex';
set local extra_float_digits to 1;`

/** Names of the tables of a schema. Asking for more, as kysely does, fails where another process drops one meanwhile. */
export async function tablesOf(db: Db, schema: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name
    from pg_catalog.pg_tables
    where schemaname = ${schema}`.execute(db)
  return rows.map(({ name }) => name)
}

/** Makes all queries of a transaction see one state, and lets none of them write; it must be its first statement. */
export async function inOneSnapshot(transaction: Db): Promise<void> {
  await sql`set transaction isolation level repeatable read, read only`.execute(transaction)
}

/** Makes the room of erased rows free for others; `full` rebuilds the table, and leaves nothing of them. */
export const vacuum = (table: string, isFull: boolean): string =>
  `vacuum (${isFull ? 'full, ' : ''}analyze) ${table.split('.').map(quote).join('.')}`

/** Tables of a list that the user may not vacuum: the server passes over them with no more than a warning. */
export const tablesOfOthers = `
select listed.name
from unnest($1::text[]) as listed (name)
join pg_class on pg_class.oid = listed.name::regclass
where not pg_has_role(relowner, 'usage')
order by listed.name`

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

export const hasQueue = `select to_regclass('queue.version') is not null as "isThere"`

/** Since when workers have known the schedule of each integration. */
export const schedulesSince = `select key as integration, created_on as since from queue.schedule where name = 'turns'`

/** Rows are copied table by table, in no order of what refers to what. */
export const disableTriggers = 'set session_replication_role = replica'

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
export function copyPages(table: string, columns: readonly string[], fromPage: number, toPage: number) {
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
  db: Db,
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
  db: Db,
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

export const countRows = (table: string): string =>
  `select count(*)::int as rows from ${table.split('.').map(quote).join('.')}`

export const analyzeAll = 'analyze'

export const serverVersion = 'show server_version_num'

export const begin = 'begin'
export const commit = 'commit'

export const isTransaction = (script: string): boolean => /^\s*begin\b/i.test(script)

/** What the demo suggests to try. */
export const demoQuery = (integrationId: string): string =>
  `select local_start, location, name from published.agenda where integration_id = '${integrationId}' order by start_time, name limit 5`

/** What the hint on unknown ids suggests to run. */
export const decisionsQuery = (integrationId: string, content: string): string =>
  `select source_id, unique_id, decision, reason from published.decisions where integration_id = '${integrationId}' and content = '${content}'`

/** Reads a result page by page; only queries can be in a cursor. */
export const declareCursor = (query: string): string => `declare page_by_page no scroll cursor for ${query}`
export const fetchPage = 'fetch 1000 from page_by_page'

/** Whether a query asks for a plan, which cannot be in a cursor. */
export const isExplain = (query: string): boolean => /^(\s|--.*\n)*explain\b/i.test(query)

export interface CheckRow {
  readonly subject: string
  /** Id of the record or item; null where the row is of many. */
  readonly id: string | null
  readonly detail: string
}

export function checkRows(query: string, { integrationId, runId }: RunKey): RawBuilder<CheckRow> {
  return sql`
    select subject, id, detail
    from (
      ${sql.raw(query)}
    ) as found
    where integration_id = ${integrationId}
      and run_id = ${runId}::uuid`
}

/** The rows of a check that one run answers for, and how many there are. */
export async function selectCheckRows(
  db: Db,
  query: string,
  { integrationId, runId }: RunKey,
  most: number,
): Promise<{ readonly rows: readonly CheckRow[]; readonly count: number }> {
  const { rows } = await sql<CheckRow & { readonly count: string }>`
    select subject, id, detail, count(*) over () as count
    from (${checkRows(query, { integrationId, runId })}) as found
    limit ${sql.lit(most)}`.execute(db)
  return { rows, count: Number(rows[0]?.count ?? 0) }
}
