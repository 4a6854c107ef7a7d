import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'

/** Holds a directory for this process; the operating system frees it when the process dies. */
export interface DirectoryLock {
  release(): Promise<void>
}

/** Another process has the embedded database open. */
export class DirectoryLockedError extends Error {
  override readonly name = 'DirectoryLockedError'
}

/**
 * Takes a directory for this process alone, by listening on a socket whose name is made of the directory's path.
 *
 * A socket, since the operating system closes it however the process ends: a file with a process id would
 * outlive a kill. It lives in the machine's (on Linux: the network namespace's) names, so two containers that
 * share the directory but no network namespace do not see each other.
 *
 * @throws DirectoryLockedError naming the holder
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const path = realpathSync(directory)
  const holder = `process ${process.pid}`
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(`${JSON.stringify({ path, holder })}\n`)
  })
  try {
    await listen(server, addressOf(path))
  } catch (error) {
    if (!isAddressInUse(error)) throw error
    const other = (await askHolder(addressOf(path))) ?? 'another process'
    throw new DirectoryLockedError(
      `the embedded database in ${path} is open in ${other}; wait until it ends, or use PostgreSQL`,
    )
  }
  server.unref()
  return {
    release: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/**
 * Names the process that has a directory, without taking it; null where none has.
 *
 * Nothing is locked meanwhile, so asking never makes another command end.
 */
export function findHolder(directory: string): Promise<string | null> {
  return askHolder(addressOf(realpathSync(directory)))
}

type Address = { readonly path: string } | { readonly host: string; readonly port: number }

/** Linux and Windows have names that vanish with the process; elsewhere a loopback port stands in. */
function addressOf(path: string): Address {
  const digest = createHash('sha256').update(path).digest()
  const name = `event-content-sync-${digest.toString('hex').slice(0, 32)}`
  if (process.platform === 'linux') return { path: `\0${name}` }
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\${name}` }
  return { host: '127.0.0.1', port: 20_000 + (digest.readUInt32BE(0) % 20_000) }
}

function listen(server: Server, address: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
}

function isAddressInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

function askHolder(address: Address): Promise<string | null> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(address)
    socket.setEncoding('utf8').setTimeout(1_000, () => socket.destroy())
    socket.on('data', (text) => {
      answer += text
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      resolve(/"holder":"([^"]+)"/.exec(answer)?.[1] ?? null)
    })
  })
}
