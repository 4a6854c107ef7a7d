import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { getSystemErrorMap } from 'node:util'

/**
 * Why nothing can be made in a folder, or in the nearest existing one above it: of a folder to be made on a read-only file
 * system, Node says that something is not there.
 *
 * @returns the system's code, such as EROFS; null where the folder can be written
 */
export function whyNotWritable(folder: string): string | null {
  try {
    accessSync(folder, constants.W_OK)
    return null
  } catch (error) {
    const code = systemCodeOf(error)
    return code === 'ENOENT' && dirname(folder) !== folder ? whyNotWritable(dirname(folder)) : code
  }
}

/**
 * ` (ENOENT: no such file or directory)`, as messages say it; empty for a fault that is not the system's.
 *
 * @param fault an error, or the system's code
 */
export function describeCode(fault: unknown): string {
  const code = typeof fault === 'string' ? fault : systemCodeOf(fault)
  if (code === null) return ''
  const [, text] = [...getSystemErrorMap().values()].find(([name]) => name === code) ?? []
  return text === undefined ? ` (${code})` : ` (${code}: ${text})`
}

/** Codes of a system that has no room. */
const NO_ROOM: ReadonlySet<string | null> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Says what to do where a folder cannot be written. @param code the system's */
export function adviceOn(code: string | null): string {
  return NO_ROOM.has(code) ? 'free some space on its disk' : 'let this user write there'
}

/** Returns what the system calls a fault; null for a fault that is not the system's. */
export function systemCodeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null
}
