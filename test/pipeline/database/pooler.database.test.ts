import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, expect, inject, test } from 'vitest'
import { openPostgres } from '../../../pipeline/database/postgres.ts'
import { makeFolder } from '../../support/folder.ts'
import { createDatabase, freePort, serverUser } from '../../support/postgres.ts'

const hasPgbouncer = spawnSync('pgbouncer', ['--version']).status === 0
const REFUSED = /session pooling .* or connect to the database directly/

const ends: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** Starts a pgbouncer in front of a new database. */
async function startPgbouncer(mode: string): Promise<string> {
  const server = new URL(await createDatabase(inject('postgresUrl')))
  const folder = makeFolder((end) => ends.push(end))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const target = [
    `host=${server.hostname}`,
    `port=${server.port || '5432'}`,
    `dbname=${server.pathname.slice(1)}`,
    `user=${decodeURIComponent(server.username)}`,
    ...(server.password === '' ? [] : [`password=${decodeURIComponent(server.password)}`]),
  ]
  const settings = `[databases]\nbehind = ${target.join(' ')}\n[pgbouncer]\nlisten_addr = 127.0.0.1
listen_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${mode}\ndefault_pool_size = 20\n`
  writeFileSync(join(folder, 'pgbouncer.ini'), settings)
  // pgbouncer refuses to run as root.
  const child: ChildProcess = spawn('pgbouncer', ['-q', join(folder, 'pgbouncer.ini')], {
    stdio: 'ignore',
    ...serverUser,
  })
  ends.push(async () => {
    const ended = once(child, 'exit')
    if (child.kill('SIGKILL')) await ended
  })
  const url = `postgres://any@127.0.0.1:${port}/behind`
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return url
    } catch (error) {
      if (attempt === 50) throw error
      await sleep(100)
    }
  }
}

/**
 * Starts a server that imitates a connection pooler. The server answers each query with a backend process id
 * that the test chooses.
 */
async function startFakePooler(backendOf: (query: number) => number): Promise<string> {
  let queries = 0
  const server = createServer((socket) => {
    let isGreeted = false
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      if (!isGreeted) {
        isGreeted = true
        return void socket.write(
          Buffer.concat([message('R', int32(0)), message('K', int32(1), int32(1)), READY]),
        )
      }
      if (bytes.toString('latin1', 0, 1) !== 'Q') return
      const values = ['170000', 'UTF8', String(backendOf(queries++))]
      socket.write(
        Buffer.concat([
          message('T', int16(3), column('version', 25), column('encoding', 25), column('pid', 23)),
          message('D', int16(3), ...values.flatMap((value) => [int32(value.length), Buffer.from(value)])),
          message('C', Buffer.from('SELECT 1\0')),
          READY,
        ]),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  return `postgres://any@127.0.0.1:${(server.address() as AddressInfo).port}/any`
}

const int16 = (value: number) => Buffer.from([value >> 8, value & 255])
const int32 = (value: number) =>
  Buffer.from([value >> 24, value >> 16, value >> 8, value].map((byte) => byte & 255))
const message = (type: string, ...parts: readonly Buffer[]) => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}
const column = (name: string, type: number) =>
  Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(type), int16(0), int32(-1), int16(0)])
const READY = message('Z', Buffer.from('I'))

test.skipIf(!hasPgbouncer).each(['transaction', 'statement'])(
  'pgbouncer in %s mode is refused, because session locks do not work behind it',
  async (mode) => {
    await expect(openPostgres(await startPgbouncer(mode))).rejects.toThrow(REFUSED)
  },
)

test.skipIf(!hasPgbouncer)('a lock works behind pgbouncer in session mode', async () => {
  const url = await startPgbouncer('session')
  const [one, other] = [await openPostgres(url), await openPostgres(url)]
  ends.unshift(
    () => one.close(),
    () => other.close(),
  )
  const lock = await one.lock('summit')
  expect(lock).not.toBeNull()
  expect(await other.lock('summit')).toBeNull()
  await lock?.release()
  const again = await other.lock('summit')
  expect(again).not.toBeNull()
  await again?.release()
})

test.each([
  ['two connections share one session', () => 7],
  ['each statement has a session of its own', (query: number) => 7 + query],
])('openPostgres refuses a connection pooler if %s', async (_case, backendOf) => {
  await expect(openPostgres(await startFakePooler(backendOf))).rejects.toThrow(REFUSED)
})
