import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { pathFaultOf } from './path-fault.ts'

/**
 * Finds why a folder cannot be written. If the folder does not exist, checks its nearest existing parent. On
 * a read-only file system, the error of Node would only say that something does not exist.
 *
 * @returns the error of the operating system, for example EROFS; null if the folder can be written
 */
export function whyNotWritable(folder: string): unknown {
  try {
    accessSync(folder, constants.W_OK)
    return null
  } catch (error) {
    const isMissing = systemCodeOf(error) === 'ENOENT' && dirname(folder) !== folder
    return isMissing ? whyNotWritable(dirname(folder)) : error
  }
}

/**
 * Describes an error of the operating system for messages. Example: ` (ENOENT: no such file or directory)`.
 * If a path cannot be used, the text also says why, and what to do. Returns an empty text if the error does not
 * come from the operating system.
 *
 * @param fault an error, or an error code of the operating system
 */
export function describeCode(fault: unknown): string {
  const code = typeof fault === 'string' ? fault : systemCodeOf(fault)
  if (code === null) return ''
  const [, text] = findSystemError(code)
  const why = pathFaultOf(fault)
  return ` (${[code, text, ...(why === null ? [] : [`${why.what}; ${why.todo}`])].filter(Boolean).join(': ')})`
}

function findSystemError(code: string | null): readonly string[] {
  return [...getSystemErrorMap().values()].find(([name]) => name === code) ?? []
}

/** Returns true for an error of the operating system, which is a fault of the machine and not of this product. */
export function isOfSystem(error: unknown): error is Error {
  return findSystemError(systemCodeOf(error)).length > 0
}

/** Error codes of the operating system for a disk without space. */
const NO_ROOM: ReadonlySet<string | null> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Returns advice for a folder that cannot be written. @param fault an error, or an error code of the operating system */
export function adviceOn(fault: unknown): string {
  const code = typeof fault === 'string' ? fault : systemCodeOf(fault)
  return NO_ROOM.has(code) ? 'free some space on its disk' : 'correct this'
}

/** Returns the error code of the operating system; null for any other error. */
export function systemCodeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null
}
