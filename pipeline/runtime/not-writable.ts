import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { getSystemErrorMap } from 'node:util'

/**
 * Finds why a folder cannot be written. If the folder does not exist, checks its nearest existing parent. On
 * a read-only file system, the error of Node would only say that something does not exist.
 *
 * @returns the error code of the operating system, for example EROFS; null if the folder can be written
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
 * Describes an error of the operating system for messages. Example: ` (ENOENT: no such file or directory)`.
 * Returns an empty text for any other error.
 *
 * @param fault an error, or an error code of the operating system
 */
export function describeCode(fault: unknown): string {
  const code = typeof fault === 'string' ? fault : systemCodeOf(fault)
  if (code === null) return ''
  const [, text] = [...getSystemErrorMap().values()].find(([name]) => name === code) ?? []
  return text === undefined ? ` (${code})` : ` (${code}: ${text})`
}

/** Error codes of the operating system for a disk without space. */
const NO_ROOM: ReadonlySet<string | null> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Returns advice for a folder that cannot be written. @param code error code of the operating system */
export function adviceOn(code: string | null): string {
  return NO_ROOM.has(code) ? 'free some space on its disk' : 'let this user write there'
}

/** Returns the error code of the operating system; null for any other error. */
export function systemCodeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null
}
