import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemCodeOf, whyNotWritable } from '../runtime/not-writable.ts'

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
      `the folder ${folder} of the embedded database cannot be written (${code}); let this user write there, or name a PostgreSQL in \`database\``,
      { cause },
    )
  }
}

/** Closes the files of a folder to others: PGlite makes those of a new database 0666, whatever the umask. */
export function restrictContents(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) restrict(path, 0o700)
    else if (entry.isFile()) restrict(path, 0o600)
  }
}

function restrict(path: string, mode: number): void {
  // Windows has no such modes; rights are inherited from the folder above.
  if (process.platform !== 'win32' && (statSync(path).mode & OF_OTHERS) !== 0) chmodSync(path, mode)
}
