import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of a pack that nobody should read on: no plain file, more bytes than it can have, or not what its name says. */
export class UnreadableFileError extends Error {
  readonly file: string

  constructor(file: string, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.name = 'UnreadableFileError'
    this.file = file
  }
}

// A link is not followed, and a pipe that nobody writes to is not waited for. Windows has neither flag.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Reads a file whole, which must be a plain one.
 *
 * @returns null where it is not there
 * @throws UnreadableFileError
 */
export function readRegular(folder: string, name: string, maxBytes: number): Buffer | null {
  const file = openFile(folder, name)
  if (file === null) return null
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new UnreadableFileError(name, 'is a link or a folder, not a file')
    if (stat.size > maxBytes) throw new UnreadableFileError(name, tooLarge(stat.size, maxBytes))
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** What is wrong with a file that has more bytes than any that is written here. */
export function tooLarge(bytes: number, maxBytes: number): string {
  return `has ${bytes} bytes; such a file has ${maxBytes} at most`
}

function openFile(folder: string, name: string): number | null {
  try {
    return openSync(join(folder, name), FLAGS)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (code === 'ELOOP' || code === 'ENXIO')
      throw new UnreadableFileError(name, 'is a link or a folder, not a file', { cause: error })
    throw error
  }
}
