import { randomBytes } from 'node:crypto'
import { constants, copyFileSync, linkSync, lstatSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describeCode, systemCodeOf } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'

/** @throws UserError where a file clearly cannot be made under that name */
export function requireNew(path: string, cwd: string): void {
  if (path === '') throw new UserError('usage', '-c names no file', 'nothing was written')
  if (isThere(path, cwd)) throw existing(path)
  const folder = dirname(path)
  if (!isThere(folder, cwd)) {
    throw new UserError(
      'file',
      `the folder ${folder} does not exist`,
      'make it and run again; nothing was written',
    )
  }
}

function isThere(path: string, cwd: string): boolean {
  try {
    return lstatSync(resolve(cwd, path), { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    throw new UserError('file', `${path} cannot be accessed${describeCode(cause)}`, 'nothing was written', {
      cause,
    })
  }
}

/**
 * Writes a file that appears whole or not at all, and only where there is none.
 *
 * @param link makes a second name for a file and fails where that name is taken
 * @throws UserError where the name is taken or the folder cannot be written to; what was there stays
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

/** Some file systems know no second name for a file; there a copy that overwrites nothing is made. */
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
