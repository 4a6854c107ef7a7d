import { readFileSync, type Stats, statSync } from 'node:fs'

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

/** Returns the name of a user for messages. */
export function userName(uid: number): string {
  return findUser(uid)?.name ?? `user ${uid}`
}
