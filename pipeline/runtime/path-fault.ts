import { type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { userName } from './file-owner.ts'
import { shellWord } from './shell-word.ts'

/** Why the operating system refused a path, and what the user can do about it. */
export interface PathFault {
  readonly what: string
  readonly todo: string
}

type Describe = (path: string) => PathFault

const DESCRIBE: ReadonlyMap<unknown, Describe> = new Map<unknown, Describe>([
  ['EACCES', describeDenied],
  ['EPERM', describeDenied],
  [
    'EROFS',
    (path) => ({
      what: `${path} is on a read-only file system`,
      todo: 'mount it writable, or name another path',
    }),
  ],
  [
    'ENOTDIR',
    (path) => ({ what: `${nearest(path)[0]} is not a folder`, todo: 'move it away, or name another path' }),
  ],
  ['EISDIR', (path) => ({ what: `${path} is a folder, not a file`, todo: 'name a file' })],
  [
    'ELOOP',
    (path) => ({ what: `the symbolic links of ${path} lead in a circle`, todo: 'correct the links' }),
  ],
  [
    'ENAMETOOLONG',
    () => ({ what: 'the system allows no name as long as this', todo: 'choose a shorter one' }),
  ],
])

/**
 * Explains why the operating system refuses a path, and what to do. Returns null if the error is not about a path.
 */
export function pathFaultOf(error: unknown): PathFault | null {
  if (!(error instanceof Error && 'code' in error && 'path' in error)) return null
  return typeof error.path === 'string' ? (DESCRIBE.get(error.code)?.(error.path) ?? null) : null
}

/** Explains why access was denied: who owns the path, which user runs this process, and how to correct it. */
function describeDenied(denied: string): PathFault {
  const uid = process.getuid?.()
  const [path, { uid: owner, mode }] = nearest(denied)
  if (uid === undefined) return { what: `this user may not use ${path}`, todo: 'let this user have access' }
  const me = userName(uid)
  if (owner === uid) {
    const bits = `0${(mode & 0o777).toString(8).padStart(3, '0')}`
    return {
      what: `${path} belongs to ${me}, who runs this process, but has the mode ${bits}`,
      todo: `\`chmod u+rwX ${shellWord(path)}\` gives this user access, unless its disk forbids it`,
    }
  }
  const what = `${path} belongs to ${userName(owner)}, and this process runs as ${me}`
  const chown = `\`chown -R ${uid} ${shellWord(path)}\` as root`
  // The folder above belongs to this user if another user has only run a command there, such as root.
  if (nearest(dirname(path))[1].uid === uid) return { what, todo: `${chown} corrects this` }
  // Advice for a folder above the path would give away more than the product uses, such as a home folder.
  return path === denied
    ? { what, todo: `if only event-sync uses it, ${chown} corrects this; otherwise let ${me} have access` }
    : { what, todo: `let ${me} have access` }
}

/** Finds the file or folder that was refused: a path, or the first folder above it that this user can see. */
function nearest(path: string): readonly [string, Stats] {
  try {
    return [path, statSync(path)]
  } catch (error) {
    if (dirname(path) === path) throw error
    return nearest(dirname(path))
  }
}
