import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
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
export async function readRegular(folder: string, name: string, maxBytes: number): Promise<Buffer | null> {
  const handle = await openFile(folder, name)
  if (handle === null) return null
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw new UnreadableFileError(name, 'is a link or a folder, not a file')
    if (stat.size > maxBytes)
      throw new UnreadableFileError(name, `has ${stat.size} bytes; such a file has ${maxBytes} at most`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

async function openFile(folder: string, name: string): Promise<FileHandle | null> {
  try {
    return await open(join(folder, name), FLAGS)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (code === 'ELOOP' || code === 'ENXIO')
      throw new UnreadableFileError(name, 'is a link or a folder, not a file', { cause: error })
    throw error
  }
}
