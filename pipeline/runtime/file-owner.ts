import { readFileSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { shellWord } from './shell-word.ts'

const DENIED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM'])

/**
 * Explains an error of the operating system that denied access to a file of another user: who owns the file,
 * which user runs this process, and how to correct it. Returns an empty text for any other error.
 */
export function describeForeign(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && 'path' in error)) return ''
  if (!DENIED.has(error.code) || typeof error.path !== 'string') return ''
  const uid = process.getuid?.()
  const [path, { uid: owner }] = nearest(error.path)
  if (uid === undefined || owner === uid) return ''
  // The folder above belongs to this user if another user has only run a command there, such as root.
  const isLeft = nearest(dirname(path))[1].uid === uid
  const todo = isLeft
    ? `\`chown -R ${uid} ${shellWord(path)}\` as root corrects this`
    : 'let this user have access'
  return `${path} belongs to ${userName(owner)}, and this process runs as ${userName(uid)}; ${todo}`
}

/** Finds the file or folder that denied access: a path, or the first folder above it that this user can see. */
function nearest(path: string): readonly [string, Stats] {
  try {
    return [path, statSync(path)]
  } catch (error) {
    if (dirname(path) === path) throw error
    return nearest(dirname(path))
  }
}

/** Returns the folder's owner if this process runs as root, and the folder belongs to another user. */
export function ownerBesideRoot(folder: string): { readonly name: string; readonly prefix: string } | null {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (process.getuid?.() !== 0 || found === undefined || found.uid === 0) return null
  const user = findUser(found.uid)
  return { name: userName(found.uid), prefix: prefixFor(found, user) }
}

/** Returns the words that start a command as the owner of a folder. They keep the environment variables. */
function prefixFor({ uid, gid }: Stats, user: User | undefined): string {
  // Only Linux has setpriv. It needs neither a password nor a shell of the user.
  if (process.platform !== 'linux') return `sudo -u '#${uid}'`
  return user === undefined
    ? `setpriv --reuid=${uid} --regid=${gid} --clear-groups`
    : `setpriv --reuid=${uid} --regid=${user.gid} --init-groups`
}

/** A user of this machine, as /etc/passwd lists it. */
interface User {
  readonly name: string
  readonly gid: string
}

function findUser(uid: number): User | undefined {
  const lines = readUsers().map((line) => line.split(':'))
  const [name, , , gid] = lines.find(([, , id]) => id === String(uid)) ?? []
  return name === undefined || gid === undefined ? undefined : { name, gid }
}

function readUsers(): readonly string[] {
  try {
    return readFileSync('/etc/passwd', 'utf8').split('\n')
  } catch {
    // Some containers have no list of users.
    return []
  }
}

function userName(uid: number): string {
  return findUser(uid)?.name ?? `user ${uid}`
}
