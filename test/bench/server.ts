import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createDatabase, dropDatabase, withClient } from '../support/postgres.ts'
import { type Measured, secondsOfChildren } from './measured.ts'

/** Creates a database, calls `work` with it, and drops the database afterwards. */
export async function withNewDatabase<Result>(
  serverUrl: string,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  const databaseUrl = await createDatabase(serverUrl)
  try {
    return await work(databaseUrl)
  } finally {
    await dropDatabase(serverUrl, databaseUrl)
  }
}

/** Makes the server write all pending changes to disk, so that they do not slow down the next measurement. */
export async function settle(url: string): Promise<void> {
  await withClient(url, (client) => client.query('checkpoint'))
}

/** Returns the number of rows inserted, updated and deleted in `staging` since the database was created. */
export async function rowsWritten(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    await othersEnded(client)
    const { rows } = await client.query<{ written: string }>(
      "select sum(n_tup_ins + n_tup_upd + n_tup_del) as written from pg_stat_user_tables where schemaname = 'staging'",
    )
    return Number(rows[0]?.written)
  })
}

/** Waits until all other connections have ended: a connection stores its row counts before it ends. */
async function othersEnded(client: pg.Client): Promise<void> {
  for (;;) {
    const others = await client.query(
      'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    if (others.rowCount === 0) return
    await sleep(50)
  }
}

/**
 * Returns the CPU time of all connections that have ended since the server started.
 *
 * @param databaseUrl URL of the database whose connections must have ended
 * @returns seconds; null if the time cannot be measured, which is so on systems other than Linux and for an
 * external server
 */
export async function serverCpuSeconds(databaseUrl: string): Promise<number | null> {
  if (process.platform !== 'linux' || (process.env.TEST_DATABASE_URL ?? '') !== '') return null
  const pid = await withClient(databaseUrl, async (client) => {
    await othersEnded(client)
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return parentOf(rows[0]?.pid)
  })
  // The kernel counts an ended process only after its parent has collected its exit code.
  await sleep(100)
  return secondsOfChildren(pid)
}

/**
 * Runs a command and adds two values to its result: the CPU time of the server, and the sum of both CPU
 * times. If the server's CPU time cannot be measured, the result has neither of these values.
 */
export async function withServerTime<Run extends Measured>(
  databaseUrl: string | null,
  work: () => Promise<Run>,
) {
  const before = databaseUrl === null ? null : await serverCpuSeconds(databaseUrl)
  const run = await work()
  const after = databaseUrl === null ? null : await serverCpuSeconds(databaseUrl)
  const server: { readonly serverCpuSeconds?: number } =
    before === null || after === null ? {} : { serverCpuSeconds: after - before }
  return { run, server, cpuSeconds: run.cpuSeconds + (server.serverCpuSeconds ?? 0) }
}

/** Returns how many bytes the database stores for its rows about runs. */
export async function bytesOfRuns(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'sync'",
    )
    const sums = rows.map(
      ({ name }) => `select coalesce(sum(pg_column_size(t.*)), 0) as bytes from sync.${name} as t`,
    )
    const all = await client.query<{ bytes: string }>(
      `select sum(bytes) as bytes from (${sums.join(' union all ')}) as sums`,
    )
    return Number(all.rows[0]?.bytes)
  })
}

function parentOf(pid: number | undefined): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

/** Returns how many bytes of answers a run has read. */
export async function bytesRead(databaseUrl: string, run: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ bytes: string }>(
      'select sum(bytes) as bytes from sync.certificates where run_id = $1',
      [run],
    )
    return Number(rows[0]?.bytes)
  })
}
