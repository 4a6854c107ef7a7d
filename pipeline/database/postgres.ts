import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Cell, Database, QueryPage, RowSink, Scrubbed, ScrubOptions } from '../../sql/database.ts'
import type { Tables } from '../../sql/tables.ts'
import { parseJson } from '../../transforms/rules/values.ts'
import { UserError } from '../settings/errors.ts'
import { toCopyLine } from './copy-text.ts'
import { findLocked, lockIntegration } from './integration-lock.ts'
import { pagesOf } from './read-only.ts'
import { type Connect, type SeatCounts, seated, seatsFor } from './seats.ts'
import { SilentError, watchForSilence, within } from './silence.ts'
import { copyStatement, readOnlySettings, vacuum } from './sql-text.ts'

/** Size in bytes at which the collected rows are sent. */
const BATCH_BYTES = 65_536

/** Parsers of received values. Numbers in JSON documents keep all digits. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === pg.types.builtins.JSONB && format !== 'binary'
      ? parseJson
      : pg.types.getTypeParser(type, format),
}

/**
 * Size of the buffer in bytes. The buffer also has room for the row that fills a batch, except if the row is
 * very long.
 */
const CAPACITY = 2 * BATCH_BYTES

/** Maximum wait for the server when connections are closed. */
const CLOSE_MS = 5_000

/** How many times the product checks whether two connections share a server session. */
const POOLER_CHECKS = 5

/** Maximum number of UTF-8 bytes for one UTF-16 code unit of a string. */
const MOST_BYTES = 3

/**
 * Settings of each database session.
 *
 * - Statements and values have the format that the product, the driver and the contracts expect. Defaults
 *   that the owner of the database has set would otherwise apply.
 * - An idle session stays open, because a run sends no statement while it reads its source.
 * - If the process or the machine of a session dies, keepalives end the session and its lock within minutes.
 *   If the machine dies while the server sends it an answer, no keepalives are sent, and the limit for unacknowledged
 *   data ends the session. Otherwise the session would keep its lock for a quarter of an hour.
 * - JIT compilation is off, because it costs a run more time than it saves.
 */
const sessionSettings = `
set standard_conforming_strings to on;
set datestyle to 'ISO';
set intervalstyle to 'postgres';
set bytea_output to 'hex';
set extra_float_digits to 1;
set array_nulls to on;
set idle_session_timeout to 0;
set jit to off;
set tcp_keepalives_idle to 30;
set tcp_keepalives_interval to 10;
set tcp_user_timeout to '120s'`

/**
 * Selects the tables of a list that the user has no right to vacuum. The server would skip these tables with
 * only a warning.
 */
const tablesOfOthers = `
select listed.name
from unnest($1::text[]) as listed (name)
join pg_class on pg_class.oid = listed.name::regclass
where not pg_has_role(relowner, 'usage')
order by listed.name`

export interface PostgresOptions {
  /** Maximum wait for a new connection, also while all are in use; 0: only a silent server has a limit. */
  readonly connectTimeoutMs?: number | undefined
  /** Maximum wait for the answer to a statement; 0: no limit. */
  readonly queryTimeoutMs?: number | undefined
  /** Connections that may do work at the same time; default: those of one run. */
  readonly seats?: SeatCounts | undefined
}

/** Connects to PostgreSQL 15 or newer. */
export async function openPostgres(
  connectionString: string,
  { connectTimeoutMs = 0, queryTimeoutMs = 0, seats = seatsFor(1) }: PostgresOptions = {},
): Promise<Database> {
  const watch = watchForSilence({ connectionString, application_name: 'event-sync' })
  const pool = new pg.Pool({
    Client: class extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super(config)
        watch.add(this)
      }
    },
    connectionString,
    // The seats limit how many connections do work. Each lock has a connection besides them.
    max: Number.POSITIVE_INFINITY,
    application_name: 'event-sync',
    types: TYPES,
    keepAlive: true,
    // With keepalives, the operating system notices that a firewall has dropped a connection, and closes it.
    keepAliveInitialDelayMillis: 30_000,
    connectionTimeoutMillis: connectTimeoutMs,
    async onConnect(client) {
      await client.query(sessionSettings)
      watch.know(client, await backendOf(client))
    },
    ...(queryTimeoutMs === 0 ? {} : { query_timeout: queryTimeoutMs }),
  })
  // If an idle connection breaks, the pool replaces it. If the fault persists, the next query reports it.
  pool.on('error', () => undefined)
  const connect = seated(pool, seats.queries)
  const connectCopy = seated(pool, seats.copies)
  const kysely = new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: { connect: () => connect(), end: () => pool.end(), options: pool.options },
    }),
  })
  const transaction: Database['transaction'] = (work) =>
    kysely
      .transaction()
      .execute(work)
      .catch((error: unknown) => {
        // The original error would be about the rollback, which failed only because the connection was lost.
        throw watch.silence === null ? error : new Error(watch.silence, { cause: error })
      })
  try {
    await requireServer(pool)
  } catch (error) {
    await pool.end()
    watch.stop()
    throw error
  }
  const { host, port, database: name = '' } = new pg.Client({ connectionString })
  return {
    engine: 'postgres',
    directory: null,
    server: { host, port },
    name,
    kysely,
    transaction,
    script: (text) => runScript(connect, text),
    copyInto: (table, columns) =>
      copySink({ connect, connectCopy }, copyStatement(table, columns, 'stdin'), watch.copies),
    lock: (integrationId) => lockIntegration(pool, transaction, integrationId),
    findLocked: (integrationIds) => findLocked(kysely, integrationIds),
    readOnly: (query, timeoutMs) => readOnly(connect, query, timeoutMs),
    executeSql: (text, values) => executeSql(connect, text, values),
    async scrub(tables, options) {
      const scrubbed = await scrub(connect, tables, options)
      await options.note?.(kysely)
      return scrubbed
    },
    serveAs: null,
    async close() {
      const closed = kysely.destroy().then(async () => {
        // If kysely has sent no query, it does not end the pool.
        if (!pool.ended) await pool.end()
      })
      await within(CLOSE_MS, closed).catch((error: unknown) => {
        if (!(error instanceof SilentError)) throw error
        watch.breakAll(error.message)
      })
      watch.stop()
    },
  }
}

/**
 * Returns the version of a server as people write it.
 *
 * @param version number that the server reports, for example 140011 for 14.11
 */
export function versionName(version: number): string {
  return `${Math.floor(version / 10_000)}.${version % 10_000}`
}

interface Served {
  readonly version: string
  readonly encoding: string
}

const served = `
select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding`

/**
 * Throws an error for a server that is too old, for a database that is not in UTF8, and for some poolers:
 * those that give each transaction another server session. With such a pooler, a session lock would not be
 * held between transactions.
 */
async function requireServer(pool: pg.Pool): Promise<void> {
  const first = await pool.connect()
  try {
    const { rows } = await first.query<Served>(served)
    const { version: text, encoding } = rows[0] ?? {}
    const version = Number(text)
    if (version < 150000) {
      throw new Error(`PostgreSQL ${versionName(version)} is too old: version 15 or newer is needed`)
    }
    if (encoding !== 'UTF8') {
      throw new UserError(
        'state',
        `the database is in the encoding ${encoding}, which does not hold the characters of every language`,
        "create one in UTF8 (`create database event_sync encoding 'UTF8' locale 'C' template template0`) and name it there; nothing was made",
      )
    }
    // A pooler invents a process id when it accepts a connection. If the process id is real, there is no
    // pooler, and the check with a second connection is not needed. The TypeScript types of pg do not have
    // `processID`. A test fails if pg removes it. Without `processID`, each start would need a second
    // connection for the check.
    const greeted: unknown = Reflect.get(first, 'processID')
    if (greeted !== (await backendOf(first)) && (await sharesBackends(pool, first))) {
      throw new Error(
        'the connection pooler in front of the database gives each transaction another server session, so locks do not hold; use session pooling (pgbouncer: pool_mode = session), or connect to the database directly',
      )
    }
  } finally {
    first.release(true)
  }
}

async function backendOf(client: pg.ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}

/**
 * Returns true if two connections use the same server session. Other users of the pooler can hide this, so
 * the function checks several times.
 */
async function sharesBackends(pool: pg.Pool, first: pg.PoolClient): Promise<boolean> {
  const second = await pool.connect()
  try {
    for (let look = 0; look < POOLER_CHECKS; look += 1) {
      const [own, again, other] = [await backendOf(first), await backendOf(first), await backendOf(second)]
      if (own !== again || own === other) return true
    }
    return false
  } finally {
    second.release(true)
  }
}

async function runScript(connect: Connect, text: string): Promise<void> {
  await withClient(connect, async (client) => {
    await client.query('begin')
    await client.query(text)
    await client.query('commit')
  })
}

async function executeSql(connect: Connect, text: string, values: readonly unknown[] = []) {
  return withClient(connect, async (client) => {
    const results: pg.QueryResult | pg.QueryResult[] = await client.query(text, [...values])
    return { rows: Array.isArray(results) ? results.flatMap(({ rows }) => rows) : results.rows }
  })
}

/**
 * Does work on one connection of the pool. If the work fails, the connection is closed, so that nobody reuses
 * its open transaction.
 */
async function withClient<Result>(
  connect: Connect,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await connect()
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

/**
 * Writes rows with COPY. The rows of a small page are sent at once by `commit`. A COPY that stays open between
 * batches has a connection of its own kind. If others wait for it, the COPY ends after the current batch, and
 * the next batch begins a new COPY: otherwise a slow source would stop the writing of all other runs.
 */
function copySink(
  { connect, connectCopy }: { readonly connect: Connect; readonly connectCopy: Connect },
  statement: string,
  onCopy: (client: pg.PoolClient, copy: Writable) => void,
): RowSink {
  let client: pg.PoolClient | null = null
  let stream: ReturnType<typeof copyFrom> | null = null
  let failure: Error | null = null
  let isSending = false
  let isWanted = false
  /** The end of a COPY whose connection others wait for. */
  let handedOver: Promise<void> | null = null
  // Each line is encoded into the buffer immediately. If lines were first collected in a string, sending
  // would take 1.5 times as long.
  let bytes = Buffer.allocUnsafe(CAPACITY)
  let length = 0

  async function open(isLast: boolean): Promise<ReturnType<typeof copyFrom>> {
    if (stream !== null) return stream
    isWanted = false
    client = await (isLast ? connect() : connectCopy(handOver))
    stream = client.query(copyFrom(statement))
    onCopy(client, stream)
    stream.on('error', (error) => {
      failure ??= error
    })
    return stream
  }

  function handOver(): void {
    isWanted = true
    if (isSending || stream === null || handedOver !== null) return
    // The next batch or the commit reports a failure.
    handedOver = end().catch((error: unknown) => {
      failure ??= error instanceof Error ? error : new Error(String(error))
    })
  }

  /**
   * Sends the collected rows. The buffer is replaced before the sending, so that new rows can be collected
   * meanwhile.
   *
   * @param isLast true if the COPY ends after these rows
   */
  async function flush(isLast: boolean): Promise<void> {
    isSending = true
    try {
      await handedOver
      handedOver = null
      if (length > 0) await send(isLast)
      if (isLast || isWanted) await end()
    } finally {
      isSending = false
    }
  }

  async function send(isLast: boolean): Promise<void> {
    const batch = bytes.subarray(0, length)
    bytes = Buffer.allocUnsafe(CAPACITY)
    length = 0
    const target = await open(isLast)
    // If a failed stream were used, the error would be about the missing connection instead of the cause.
    if (failure !== null) throw failure
    const accepted = target.write(batch)
    if (failure === null && !accepted) await once(target, 'drain')
    if (failure !== null) throw failure
  }

  async function end(): Promise<void> {
    if (stream === null) return
    // The server may have rejected an earlier row.
    if (failure !== null) throw failure
    const finished = once(stream, 'finish')
    stream.end()
    await finished
    stream = null
    client?.release()
    client = null
  }

  async function close(): Promise<void> {
    length = 0
    isSending = true
    await handedOver
    if (failure === null) stream?.destroy()
    stream = null
    client?.release(true)
    client = null
  }

  return {
    write(row: readonly Cell[]) {
      const line = toCopyLine(row)
      const most = length + line.length * MOST_BYTES
      if (most > bytes.length) bytes = Buffer.concat([bytes.subarray(0, length)], most)
      length += bytes.write(line, length)
      return length >= BATCH_BYTES ? flush(false) : undefined
    },
    commit: () => flush(true),
    close,
  }
}

async function scrub(
  connect: Connect,
  tables: readonly string[],
  { isThorough, at }: ScrubOptions,
): Promise<Scrubbed> {
  const { rows } = await withClient(connect, (client) =>
    client.query<{ name: string }>(tablesOfOthers, [tables]),
  )
  const foreign = new Set(rows.map(({ name }) => name))
  for (const table of tables) {
    if (foreign.has(table)) continue
    await withClient(connect, (client) => client.query(vacuum(table, isThorough)))
    at?.('table scrubbed')
  }
  const left = [...foreign].map(
    (table) =>
      `dead rows of ${table}, which belongs to another user: as its owner, run ${vacuum(table, isThorough)}`,
  )
  return isThorough
    ? { done: 'the tables were rewritten (VACUUM FULL)', left }
    : {
        done: 'the space of the old rows was freed (VACUUM)',
        left: [
          ...left,
          'bytes of old rows in the free space of tables, until they are overwritten (--vacuum-full rewrites the tables, and locks them meanwhile)',
        ],
      }
}

/** The server rejects a text with several statements only if the text is sent as a prepared statement. */
const PREPARED = { queryMode: 'extended', types: { getTypeParser: () => String } } as const

async function* readOnly(connect: Connect, query: string, timeoutMs?: number): AsyncGenerator<QueryPage> {
  const client = await connect()
  try {
    await client.query(`begin; ${readOnlySettings}`)
    if (timeoutMs !== undefined) await client.query(`set local statement_timeout = ${timeoutMs}`)
    yield* pagesOf(query, (text) => client.query<(string | null)[]>({ ...PREPARED, text, rowMode: 'array' }))
  } finally {
    client.release(true)
  }
}
