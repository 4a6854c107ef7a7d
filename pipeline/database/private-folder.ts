import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { adviceOn, describeCode, systemCodeOf, whyNotWritable } from '../runtime/not-writable.ts'
import { visible } from '../runtime/visible.ts'
import { UserError } from '../settings/errors.ts'

/** Permission bits for users other than the owner. */
const OF_OTHERS = 0o077

/** Returns the folder of the embedded database, which is beside the configuration file. */
export function embeddedFolder({ configFolder }: { readonly configFolder: string }): string {
  return resolve(configFolder, '.event-sync', 'db')
}

/** Creates a folder that only its owner can enter. If the folder exists, access by other users is removed. */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    restrict(folder, 0o700)
  } catch (cause) {
    const fault = whyNotWritable(folder) ?? cause
    throw new Error(
      `the folder ${folder} of the embedded database cannot be written${describeCode(fault)}; ${adviceOn(fault)}, or name a PostgreSQL in \`database\``,
      { cause },
    )
  }
}

/**
 * Removes access by other users to the files in a folder. PGlite ignores the umask and creates its files with
 * mode 0666.
 */
export function restrictContents(folder: string): void {
  // The option `recursive` is not used, because it also visits folders that symbolic links point to.
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile()) restrict(path, 0o600)
    if (!entry.isDirectory()) continue
    restrict(path, 0o700)
    restrictContents(path)
  }
}

function restrict(path: string, mode: number): void {
  // Windows has no such permission bits. Files on Windows inherit access rights from their folder.
  if (process.platform !== 'win32' && (statSync(path).mode & OF_OTHERS) !== 0) chmodSync(path, mode)
}

/** The lock of a directory by this process. The operating system releases the lock when the process dies. */
export interface DirectoryLock {
  /** Sets how the lock describes this process to others, in at most 80 characters without quotation marks. */
  describe(holder: string): void
  release(): Promise<void>
}

/**
 * Locks a directory for this process. The lock is a socket on which this process listens. The name of the
 * socket is made from the path of the directory. The operating system closes the socket even if the process
 * is killed. A lock file with a process id would then be left behind. On Linux, the name of the socket
 * belongs to the network namespace. Two containers that share the directory but not the network namespace
 * therefore do not see each other's lock.
 *
 * @throws UserError that names the process with the lock
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const path = realpathSync(directory)
  let holder = `process ${process.pid}`
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(`${JSON.stringify({ path, holder })}\n`)
  })
  server.listen(addressOf(path))
  try {
    await once(server, 'listening')
  } catch (error) {
    if (systemCodeOf(error) !== 'EADDRINUSE') throw error
    const other = (await askHolder(addressOf(path))) ?? ANOTHER
    throw new UserError(
      'locked',
      `the embedded database in ${path} is in use by ${other}`,
      'wait until it ends, or use PostgreSQL',
    )
  }
  server.unref()
  return {
    describe(text) {
      holder = text
    },
    release: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/**
 * Returns the name of the process that has the lock of a directory; null if no process has it. The function
 * does not take the lock, so it never makes another command fail.
 */
export function findHolder(directory: string): Promise<string | null> {
  return askHolder(addressOf(realpathSync(directory)))
}

const ANOTHER = 'another process'

/**
 * Maximum wait for the answer of the process with the lock. The process with the lock answers with one line
 * as soon as its database is not busy.
 */
const ANSWER_MS = 5_000
const ANSWER_LENGTH = 10_000

/**
 * Returns the address of the lock's socket. On Linux and Windows, the address is a name that disappears with
 * the process. On other operating systems, the address is a loopback port.
 */
function addressOf(path: string) {
  const digest = createHash('sha256').update(path).digest()
  const name = `event-content-sync-${digest.toString('hex').slice(0, 32)}`
  if (process.platform === 'linux') return { path: `\0${name}` }
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\${name}` }
  return { host: '127.0.0.1', port: 20_000 + (digest.readUInt32BE(0) % 20_000) }
}

function askHolder(address: ReturnType<typeof addressOf>): Promise<string | null> {
  return new Promise((resolve) => {
    let answer = ''
    let silent: string | null = null
    const socket = connect(address, () => {
      silent = ANOTHER
    })
    const timer = setTimeout(() => socket.destroy(), ANSWER_MS)
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text
      if (answer.length > ANSWER_LENGTH) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      // Any user of the machine can listen on this address and send control characters for the terminal, so
      // the answer is escaped.
      const [, holder] = /"holder":"([^"]{1,80})"/.exec(answer) ?? []
      resolve(holder === undefined ? silent : visible(holder))
    })
  })
}
