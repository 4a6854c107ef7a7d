import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createDatabase, dropDatabase, withClient } from '../support/postgres.ts'
import { type Measured, secondsOfChildren } from './measured.ts'

/** Does work with a new database, and drops that. */
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

/** Writes what is still to be written to disk, so that what is measured next does not pay for what came before. */
export async function settle(url: string): Promise<void> {
  await withClient(url, (client) => client.query('checkpoint'))
}

/** Rows inserted, updated and deleted in the tables of `staging` since the database is there. */
export async function rowsWritten(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    await othersEnded(client)
    const { rows } = await client.query<{ written: string }>(
      "select sum(n_tup_ins + n_tup_upd + n_tup_del) as written from pg_stat_user_tables where schemaname = 'staging'",
    )
    return Number(rows[0]?.written)
  })
}

/** A connection that ends has its counts stored before it is gone. */
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
 * Time that all connections had which have ended since the server started.
 *
 * @param databaseUrl URL of the database whose connections must have ended
 * @returns seconds; null where that cannot be known: on other systems, and of a server that is not our own
 */
export async function serverCpuSeconds(databaseUrl: string): Promise<number | null> {
  if (process.platform !== 'linux' || (process.env.TEST_DATABASE_URL ?? '') !== '') return null
  const pid = await withClient(databaseUrl, async (client) => {
    await othersEnded(client)
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return parentOf(rows[0]?.pid)
  })
  // A process that has ended is counted once its parent has waited for it.
  await sleep(100)
  return secondsOfChildren(pid)
}

/** Runs a command, and tells what time the server had for it, if that can be known, and both together. */
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

/** Bytes of the rows that say what runs did, each with its stored length. */
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

/** Bytes of the answers that a run read. */
export async function bytesRead(databaseUrl: string, run: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ bytes: string }>(
      'select sum(bytes) as bytes from sync.certificates where run_id = $1',
      [run],
    )
    return Number(rows[0]?.bytes)
  })
}
