import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { adviceOn, describeCode, systemCodeOf, whyNotWritable } from '../runtime/not-writable.ts'
import { visible } from '../runtime/visible.ts'
import { UserError } from '../settings/errors.ts'

/** Bits of a mode that let others than the owner in. */
const OF_OTHERS = 0o077

/** Makes a folder that only its owner can enter; an existing one becomes such a folder. */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    restrict(folder, 0o700)
  } catch (cause) {
    const code = whyNotWritable(folder) ?? systemCodeOf(cause)
    throw new Error(
      `the folder ${folder} of the embedded database cannot be written${describeCode(code ?? cause)}; ${adviceOn(code)}, or name a PostgreSQL in \`database\``,
      { cause },
    )
  }
}

/** Closes the files of a folder to others: PGlite makes those of a new database 0666, no matter what the umask. */
export function restrictContents(folder: string): void {
  // Not `recursive`, which follows links to folders.
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile()) restrict(path, 0o600)
    if (!entry.isDirectory()) continue
    restrict(path, 0o700)
    restrictContents(path)
  }
}

function restrict(path: string, mode: number): void {
  // Windows has no such modes; rights are inherited from the folder above.
  if (process.platform !== 'win32' && (statSync(path).mode & OF_OTHERS) !== 0) chmodSync(path, mode)
}

/** Holds a directory for this process; the operating system frees it when the process dies. */
export interface DirectoryLock {
  release(): Promise<void>
}

/**
 * Takes a directory for this process alone, by listening on a socket whose name is made of the directory's path: the
 * operating system closes it however the process ends, while a file with a process id would outlive a kill. On Linux
 * the name belongs to the network namespace, so two containers that share the directory but no network namespace do not
 * see each other.
 *
 * @throws UserError naming the holder
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const path = realpathSync(directory)
  const holder = `process ${process.pid}`
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
    release: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Names the process that has a directory, without taking it, so that asking never makes another command fail; null where none has. */
export function findHolder(directory: string): Promise<string | null> {
  return askHolder(addressOf(realpathSync(directory)))
}

const ANOTHER = 'another process'

/** The process that holds a directory answers with one line, as soon as its database lets it. */
const ANSWER_MS = 5_000
const ANSWER_LENGTH = 10_000

/** Linux and Windows have names that vanish with the process; elsewhere it is a loopback port. */
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
      // Any user of the machine can listen there, and send what would control a terminal.
      const [, holder] = /"holder":"([^"]{1,80})"/.exec(answer) ?? []
      resolve(holder === undefined ? silent : visible(holder))
    })
  })
}
