import { randomBytes } from 'node:crypto'
import { constants, copyFileSync, linkSync, lstatSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describeCode, systemCodeOf } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'

/**
 * Checks, before any work, that a new file with this name can probably be created.
 *
 * @throws UserError if the file clearly cannot be created
 */
export function requireNew(path: string, cwd: string): void {
  if (path === '')
    throw new UserError('usage', '-c is empty', 'name a file with -c FILE; nothing was written')
  if (isThere(path, cwd)) throw existing(path)
  const folder = dirname(path)
  if (!isThere(folder, cwd)) {
    throw new UserError(
      'file',
      `the folder ${folder} does not exist`,
      'create it and run again; nothing was written',
    )
  }
}

export function isThere(path: string, cwd: string): boolean {
  try {
    return lstatSync(resolve(cwd, path), { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    throw new UserError('file', `${path} cannot be accessed${describeCode(cause)}`, 'nothing was written', {
      cause,
    })
  }
}

/**
 * Writes a new file either completely or not at all. A file that already has the name stays unchanged.
 *
 * @param link creates a hard link and fails if the name exists
 * @throws UserError if the name exists or the folder is not writable
 */
export function writeNewFile(path: string, text: string, cwd: string, link = linkSync): void {
  const place = resolve(cwd, path)
  const partial = `${place}.${randomBytes(6).toString('hex')}.partial`
  try {
    try {
      writeFileSync(partial, text, { flag: 'wx', flush: true })
      linkOrCopy(partial, place, link)
    } finally {
      rmSync(partial, { force: true })
    }
  } catch (cause) {
    if (systemCodeOf(cause) === 'EEXIST') throw existing(path)
    throw new UserError('file', `${path} cannot be written${describeCode(cause)}`, 'nothing was written', {
      cause,
    })
  }
}

/**
 * Gives a complete file its final name with a hard link, which fails if the name exists. Some file systems
 * have no hard links. On a file system without hard links, the file is copied without overwriting.
 */
function linkOrCopy(partial: string, path: string, link: typeof linkSync): void {
  try {
    link(partial, path)
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') throw error
    copyFileSync(partial, path, constants.COPYFILE_EXCL)
  }
}

function existing(path: string): UserError {
  return new UserError('file', `${path} exists and is not overwritten`, 'name another file with -c FILE')
}
