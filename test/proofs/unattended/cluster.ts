import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findInstalled } from '../../support/installed-postgres.ts'
import { freePort, serverUser } from '../../support/postgres.ts'

/** Names what this machine lacks to run PostgreSQL under Patroni; null if nothing is missing. */
export function missingForCluster(): string | null {
  if (findInstalled() === null) return 'no PostgreSQL 15 is installed'
  for (const program of ['patroni', 'etcd'])
    if (spawnSync(program, ['--version']).error !== undefined) return `no ${program}`
  return null
}

interface Node {
  readonly name: string
  readonly folder: string
  readonly postgresPort: number
  readonly restPort: number
}

/** Three PostgreSQL servers under Patroni: one primary, to which all others are standbys. */
export interface Cluster {
  /** URL of a proxy that always connects to the primary, as HAProxy does in front of Patroni. */
  readonly url: string
  /** Kills the primary with SIGKILL, and waits until another server is the primary. @returns the wait in ms */
  killPrimary(): Promise<number>
  /** From now on, the standbys receive nothing of what the primary commits. */
  holdBack(): Promise<void>
  /** Returns the port of a standby, which people can only read. */
  standbyPort(): Promise<number>
  /** Waits until the standbys have all that the primary has committed. */
  inStep(): Promise<void>
  close(): Promise<void>
}

/** Maximum time for the start of the cluster, and for another server to become the primary. */
const READY_MS = 120_000

/** @param isSynchronous whether a commit waits for a standby */
export async function startCluster(isSynchronous: boolean): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-patroni-'))
  const own = serverUser ?? {}
  if (serverUser !== null) chownSync(folder, serverUser.uid, serverUser.gid)
  const log = openSync(join(folder, 'log'), 'a')
  const started: ChildProcess[] = []
  const start = (program: string, args: readonly string[]) => {
    const child = spawn(program, args, { ...own, cwd: folder, stdio: ['ignore', log, log] })
    started.push(child)
    return child
  }
  const nodes: Node[] = []
  function end(): void {
    for (const child of started.toReversed()) child.kill('SIGKILL')
    for (const node of nodes) {
      try {
        process.kill(postmasterOf(node), 'SIGQUIT')
      } catch {
        // The server does not run at the moment.
      }
    }
  }
  process.once('exit', end)
  const [client, peer] = [await freePort(), await freePort()]
  const at = (port: number) => `http://127.0.0.1:${port}`
  start('etcd', [
    ...['--data-dir', join(folder, 'etcd'), '--name', 'one', '--initial-cluster', `one=${at(peer)}`],
    ...['--listen-client-urls', at(client), '--advertise-client-urls', at(client)],
    ...['--listen-peer-urls', at(peer), '--initial-advertise-peer-urls', at(peer)],
  ])
  for (const name of ['one', 'two', 'three']) {
    const node = {
      name,
      folder: join(folder, name),
      postgresPort: await freePort(),
      restPort: await freePort(),
    }
    mkdirSync(node.folder, { mode: 0o700 })
    if (serverUser !== null) chownSync(node.folder, serverUser.uid, serverUser.gid)
    const file = join(folder, `${name}.yaml`)
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(settingsOf(node, client, isSynchronous)))
    nodes.push(node)
    start('patroni', [file])
  }

  const primary = async () => {
    for (const node of nodes) {
      const answer = await fetch(`${at(node.restPort)}/primary`).catch(() => null)
      await answer?.body?.cancel()
      if (answer?.status === 200) return node
    }
    return null
  }
  async function until(what: string, holds: () => Promise<boolean>): Promise<number> {
    const begunMs = performance.now()
    while (!(await holds())) {
      if (performance.now() - begunMs > READY_MS)
        throw new Error(`${what}: ${readFileSync(join(folder, 'log'), 'utf8').slice(-3000)}`)
      await sleep(100)
    }
    return performance.now() - begunMs
  }
  const membersInStep = async () => {
    const node = await primary()
    if (node === null) return false
    const answer = await fetch(`${at(node.restPort)}/cluster`)
    const { members = [] } = (await answer.json()) as { readonly members?: readonly Member[] }
    const standbys = members.filter(({ role }) => role !== 'leader')
    const isNamed = !isSynchronous || standbys.some(({ role }) => role === 'sync_standby')
    return (
      standbys.length === 2 && isNamed && standbys.every(({ state, lag }) => isRunning(state) && lag === 0)
    )
  }
  const inStep = async () => {
    await until('the standbys do not follow the primary', membersInStep)
  }

  let stopped: readonly number[] = []
  const sockets = new Set<Socket>()
  const proxy = createServer(async (socket) => {
    sockets.add(socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket)))
    const node = await primary()
    if (node === null) return void socket.destroy()
    const onward = connect(node.postgresPort, '127.0.0.1')
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.on('close', () => onward.destroy())
    socket.pipe(onward).pipe(socket)
  })
  const port = await freePort()
  proxy.listen(port, '127.0.0.1')
  await inStep()

  return {
    url: `postgres://postgres:secret@127.0.0.1:${port}/postgres`,
    async killPrimary() {
      const before = await primary()
      if (before === null) throw new Error('there is no primary')
      for (const pid of [postmasterOf(before), ...stopped]) process.kill(pid, 'SIGKILL')
      stopped = []
      return until('no other server became the primary', async () => {
        const now = await primary()
        return now !== null && now !== before
      })
    },
    async holdBack() {
      const node = await primary()
      stopped = node === null ? [] : sendersOf(postmasterOf(node))
      if (stopped.length === 0) throw new Error('the primary sends nothing to standbys')
      for (const pid of stopped) process.kill(pid, 'SIGSTOP')
    },
    async standbyPort() {
      const now = await primary()
      return nodes.find((node) => node !== now)?.postgresPort ?? 0
    },
    inStep,
    async close() {
      proxy.close()
      for (const socket of sockets) socket.destroy()
      end()
      process.removeListener('exit', end)
      await sleep(1000)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Member {
  readonly role: string
  readonly state: string
  readonly lag?: number | 'unknown'
}

/** Patroni 3.0 says `running`, and later versions say `streaming`. */
function isRunning(state: string): boolean {
  return state === 'running' || state === 'streaming'
}

function postmasterOf({ folder }: Node): number {
  return Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n', 1)[0])
}

/** Returns the processes of a primary that send its log to standbys. */
function sendersOf(postmaster: number): readonly number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(postmaster), '-f', 'walsender'], { encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean).map(Number)
}

function settingsOf(node: Node, etcdPort: number, isSynchronous: boolean): object {
  const user = (username: string) => ({ username, password: 'secret' })
  return {
    scope: 'event-sync',
    name: node.name,
    restapi: { listen: `127.0.0.1:${node.restPort}`, connect_address: `127.0.0.1:${node.restPort}` },
    etcd3: { hosts: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        // The shortest times that Patroni accepts. A primary that died is replaced, not restarted.
        ttl: 20,
        loop_wait: 1,
        retry_timeout: 3,
        master_start_timeout: 0,
        maximum_lag_on_failover: 1_000_000_000,
        synchronous_mode: isSynchronous,
        synchronous_mode_strict: isSynchronous,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 200, wal_log_hints: 'on' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
    },
    postgresql: {
      listen: `127.0.0.1:${node.postgresPort}`,
      connect_address: `127.0.0.1:${node.postgresPort}`,
      data_dir: join(node.folder, 'data'),
      bin_dir: findInstalled(),
      pgpass: join(node.folder, 'pgpass'),
      authentication: {
        superuser: user('postgres'),
        replication: user('replicator'),
        rewind: user('rewinder'),
      },
      parameters: { unix_socket_directories: node.folder },
      pg_hba: [
        'host all all 127.0.0.1/32 md5',
        'host replication all 127.0.0.1/32 md5',
        'local all all trust',
      ],
    },
  }
}
