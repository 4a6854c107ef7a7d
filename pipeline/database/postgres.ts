import { once } from 'node:events'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import {
  type Cell,
  type Database,
  type IntegrationLock,
  LockLostError,
  type QueryPage,
  type RowSink,
  type Scrubbed,
  type ScrubOptions,
} from '../../sql/database.ts'
import * as statements from '../../sql/statements.ts'
import type { Tables } from '../../sql/tables.ts'
import { toCopyLine } from './copy-text.ts'

/** Bytes of rows that are gathered before they are handed to the connection. */
const BATCH_BYTES = 65_536

/** Leaves room for the row by which a batch is full, unless that is a long one. */
const CAPACITY = 2 * BATCH_BYTES

/** Most bytes of UTF-8 that one unit of a string takes. */
const MOST_BYTES = 3

/**
 * Connects to PostgreSQL 15 or newer.
 *
 * @param connectTimeoutMs longest wait for a connection; 0: as long as the operating system does
 * @param queryTimeoutMs longest wait for the answer to a statement; 0: for ever
 */
export async function openPostgres(
  connectionString: string,
  connectTimeoutMs = 0,
  queryTimeoutMs = 0,
): Promise<Database> {
  const pool = new pg.Pool({
    connectionString,
    max: 12,
    application_name: 'event-sync',
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
    onConnect: async (client) => void (await client.query(statements.sessionSettings)),
    ...(queryTimeoutMs === 0 ? {} : { query_timeout: queryTimeoutMs }),
  })
  // An idle connection that breaks is replaced by the pool; the query that needs it reports the fault.
  pool.on('error', () => undefined)
  // So does one in use, which the pool does not listen to: without a listener the process would end at once.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const version = await serverVersion(pool)
  if (version < 150000) {
    await kysely.destroy()
    throw new Error(`PostgreSQL ${version / 10000} is too old: version 15 or newer is needed`)
  }
  return {
    engine: 'postgres',
    kysely,
    transaction: (work) => kysely.transaction().execute(work),
    script: (text) => runScript(pool, text),
    copyInto: (table, columns) => copySink(pool, statements.copyStatement(table, columns, 'stdin')),
    lock: (integrationId) => lockIntegration(pool, kysely, integrationId),
    readOnly: (query) => readOnly(pool, query),
    executeSql: (text, values) => executeSql(pool, text, values),
    async scrub(tables, options) {
      const scrubbed = await scrub(pool, tables, options)
      await options.note?.(kysely)
      return scrubbed
    },
    async close() {
      await kysely.destroy()
      // kysely leaves alone a pool that no query of its own has used.
      if (!pool.ended) await pool.end()
    },
  }
}

/** Why it failed; a host with several addresses gives an error for each, and none of its own. */
export function reasonOf(cause: unknown): string {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  return first instanceof Error ? first.message : String(first)
}

async function serverVersion(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ server_version_num: string }>(statements.serverVersion)
  return Number(rows[0]?.server_version_num)
}

async function runScript(pool: pg.Pool, text: string): Promise<void> {
  await withClient(pool, async (client) => {
    await client.query(statements.begin)
    await client.query(text)
    await client.query(statements.commit)
  })
}

async function executeSql(pool: pg.Pool, text: string, values: readonly unknown[] = []) {
  return withClient(pool, async (client) => {
    const results: pg.QueryResult | pg.QueryResult[] = await client.query(text, [...values])
    return { rows: Array.isArray(results) ? results.flatMap(({ rows }) => rows) : results.rows }
  })
}

/** Uses one connection; after a failure it is thrown away, so that no half transaction is handed on. */
async function withClient<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

function copySink(pool: pg.Pool, statement: string): RowSink {
  let client: pg.PoolClient | null = null
  let stream: ReturnType<typeof copyFrom> | null = null
  let failure: Error | null = null
  // Lines are written to bytes one by one: to gather them in a string costs half as much again as all else done here.
  let bytes = Buffer.allocUnsafe(CAPACITY)
  let length = 0

  async function open(): Promise<ReturnType<typeof copyFrom>> {
    if (stream !== null) return stream
    client = await pool.connect()
    stream = client.query(copyFrom(statement))
    stream.on('error', (error) => {
      failure = error
    })
    return stream
  }

  /** What is gathered is taken at once, so that more can be while it is handed over. */
  async function flush(): Promise<void> {
    if (length === 0) return
    const batch = bytes.subarray(0, length)
    bytes = Buffer.allocUnsafe(CAPACITY)
    length = 0
    const target = await open()
    const accepted = target.write(batch)
    if (failure === null && !accepted) await once(target, 'drain')
    if (failure !== null) throw failure
  }

  async function close(): Promise<void> {
    length = 0
    stream?.destroy()
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
      return length >= BATCH_BYTES ? flush() : undefined
    },
    async commit() {
      await flush()
      if (stream === null) return
      // The server may have refused a row that was handed over before.
      if (failure !== null) throw failure
      const finished = once(stream, 'finish')
      stream.end()
      await finished
      stream = null
      client?.release()
      client = null
    },
    close,
  }
}

async function lockIntegration(
  pool: pg.Pool,
  kysely: Kysely<Tables>,
  integrationId: string,
): Promise<IntegrationLock | null> {
  const client = await pool.connect()
  try {
    await client.query(statements.keepSession)
    const { rows } = await client.query<{ locked: boolean }>(statements.tryLock, [integrationId])
    if (rows[0]?.locked !== true) {
      client.release(true)
      return null
    }
    await client.query(statements.awaitCommits, [integrationId])
  } catch (error) {
    client.release(true)
    throw error
  }
  // A connection takes one question at a time, and resources are read side by side.
  let asked: Promise<unknown> = Promise.resolve()
  async function requireHeld(): Promise<void> {
    asked = asked.then(() => client.query(statements.areYouThere))
    await asked.catch((cause: unknown) => {
      throw new LockLostError(integrationId, cause)
    })
  }
  return {
    transaction: (work) =>
      kysely.transaction().execute(async (transaction) => {
        const result = await work(transaction)
        // In this order: if the session is there still, whoever takes the lock later waits for the commit.
        await statements.announceCommit(transaction, integrationId)
        await requireHeld()
        return result
      }),
    async release() {
      await asked.catch(() => undefined)
      // If the connection is broken, the server frees the lock as the session ends.
      await client.query(statements.unlock, [integrationId]).catch(() => undefined)
      client.release(true)
    },
  }
}

async function scrub(
  pool: pg.Pool,
  tables: readonly string[],
  { isThorough, at }: ScrubOptions,
): Promise<Scrubbed> {
  const { rows } = await pool.query<{ name: string }>(statements.tablesOfOthers, [tables])
  const foreign = new Set(rows.map(({ name }) => name))
  for (const table of tables) {
    if (foreign.has(table)) continue
    await pool.query(statements.vacuum(table, isThorough))
    at?.('table scrubbed')
  }
  const left = [...foreign].map(
    (table) =>
      `dead rows of ${table}, which is not this user's: as its owner, ${statements.vacuum(table, isThorough)}`,
  )
  return isThorough
    ? { done: 'the tables were written anew (VACUUM FULL)', left }
    : {
        done: 'the room of the old rows is free (VACUUM)',
        left: [
          ...left,
          'bytes of old rows in the free room of tables, until others are written over them (--vacuum-full writes the tables anew, and locks them meanwhile)',
        ],
      }
}

/** The server refuses several statements in one text only where they come as a prepared statement. */
const PREPARED = { queryMode: 'extended', types: { getTypeParser: () => String } } as const

async function* readOnly(pool: pg.Pool, query: string): AsyncGenerator<QueryPage> {
  const client = await pool.connect()
  try {
    await client.query(`${statements.begin}; ${statements.readOnlySettings}`)
    const ask = async (text: string): Promise<QueryPage> => {
      const page = await client.query<(string | null)[]>({ ...PREPARED, text, rowMode: 'array' })
      return {
        columns: page.fields.map((field) => field.name),
        types: page.fields.map((field) => field.dataTypeID),
        rows: page.rows,
      }
    }
    if (statements.isExplain(query)) return yield await ask(query)
    await client.query({ ...PREPARED, text: statements.declareCursor(query) })
    for (;;) {
      const page = await ask(statements.fetchPage)
      yield page
      if (page.rows.length === 0) return
    }
  } finally {
    client.release(true)
  }
}
