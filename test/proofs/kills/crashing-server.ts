import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres, withClient } from '../../support/postgres.ts'

/**
 * A PostgreSQL server that a test can crash. Crashing works only on Linux, because the test reads the
 * server's start command from /proc.
 */
export interface CrashingServer {
  readonly url: string
  /**
   * Stops the server like `pg_ctl stop -m immediate` and starts it again. The server writes nothing more, and
   * unlogged tables are empty afterwards.
   */
  crash(): Promise<void>
  /**
   * Lets the server end the connections of runs in one database: all connections, or only those with a lock.
   */
  terminate(databaseUrl: string, which: 'all' | 'lock'): Promise<unknown>
  stop(): Promise<void>
}

/**
 * The flags turn off fsync. The operating system does not crash, so it has all commits, and fsync would only
 * cost time.
 */
const FLAGS = ['-c', 'fsync=off']

/**
 * Starts a server for these tests. Returns null if TEST_DATABASE_URL is set, because an external server must
 * not be crashed.
 */
export async function startCrashingServer(): Promise<CrashingServer | null> {
  if ((process.env.TEST_DATABASE_URL ?? '') !== '') return null
  const { url, stop } = await startPostgres(FLAGS)
  const data = await dataFolderOf(url)

  async function end(signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
    const pid = pidIn(data)
    process.kill(pid, signal)
    while (existsSync(`/proc/${pid}/exe`) && existsSync(join(data, 'postmaster.pid'))) await sleep(20)
    while (isAlive(pid)) await sleep(20)
  }

  return {
    url,
    async crash() {
      const pid = pidIn(data)
      const program = readlinkSync(`/proc/${pid}/exe`)
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, -1)
      await end('SIGQUIT')
      const { uid, gid } = statSync(data)
      spawn(program, args, { uid, gid, stdio: 'ignore', cwd: dirname(data) }).unref()
      while (!(await answers(url))) await sleep(50)
    },
    terminate: (databaseUrl, which) =>
      withClient(url, (client) =>
        client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where application_name = 'event-sync' and datname = $1
              and ($2 = 'all' or pid in (select pid from pg_locks where locktype = 'advisory'))`,
          [new URL(databaseUrl).pathname.slice(1), which],
        ),
      ),
    async stop() {
      await end('SIGINT')
      await stop()
    },
  }
}

function pidIn(data: string): number {
  return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
}

function isAlive(pid: number): boolean {
  try {
    // For a zombie process (its parent has not collected the exit code), the link to its program cannot be
    // read.
    readlinkSync(`/proc/${pid}/exe`)
    return true
  } catch {
    return false
  }
}

async function dataFolderOf(url: string): Promise<string> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ data_directory: string }>('show data_directory'),
  )
  if (rows[0] === undefined) throw new Error('the server does not tell its folder')
  return rows[0].data_directory
}

function answers(url: string): Promise<boolean> {
  return withClient(url, (client) => client.query('select 1')).then(
    () => true,
    () => false,
  )
}
