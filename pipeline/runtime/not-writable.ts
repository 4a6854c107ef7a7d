import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { getSystemErrorMap } from 'node:util'

/**
 * Finds the reason why a folder, or its nearest existing parent, cannot be written. If Node makes a folder on
 * a read-only file system, its own error says only that something does not exist.
 *
 * @returns the system's error code, such as EROFS; null if the folder can be written
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
 * Describes an error of the system for messages: ` (ENOENT: no such file or directory)`. It returns an empty
 * text for other errors.
 *
 * @param fault an error, or the system's error code
 */
export function describeCode(fault: unknown): string {
  const code = typeof fault === 'string' ? fault : systemCodeOf(fault)
  if (code === null) return ''
  const [, text] = [...getSystemErrorMap().values()].find(([name]) => name === code) ?? []
  return text === undefined ? ` (${code})` : ` (${code}: ${text})`
}

/** Error codes that mean that the disk has no room. */
const NO_ROOM: ReadonlySet<string | null> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Returns advice for a folder that cannot be written. @param code the system's error code */
export function adviceOn(code: string | null): string {
  return NO_ROOM.has(code) ? 'free some space on its disk' : 'let this user write there'
}

/** Returns the system's code of an error; null for other errors. */
export function systemCodeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null
}
