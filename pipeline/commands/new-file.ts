import { randomBytes } from 'node:crypto'
import { constants, copyFileSync, linkSync, lstatSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describeCode, systemCodeOf } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'

/**
 * Checks that a file with this name can probably be created.
 *
 * @throws UserError if it clearly cannot
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
 * Writes a new file, either complete or not at all. An existing file stays unchanged.
 *
 * @param link creates a hard link and fails if the name exists
 * @throws UserError if the name exists or the folder is not writable; an existing file stays unchanged
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
 * Creates the file as a hard link. Some file systems have no hard links; then it is copied without
 * overwriting.
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
