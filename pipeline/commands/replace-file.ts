import { randomBytes } from 'node:crypto'
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describeCode } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'
import { CHECK_PATH } from './arguments.ts'

/**
 * Reads a file whose bytes must stay the same, including a byte order mark.
 *
 * @throws UserError if the file cannot be read or is not UTF-8
 */
export function readExactly(path: string, cwd: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(resolve(cwd, path)))
  } catch (cause) {
    const isBytes = cause instanceof TypeError
    const what = isBytes ? 'is not in UTF-8' : `cannot be read${describeCode(cause)}`
    const todo = isBytes ? 'save it in UTF-8; nothing was written' : CHECK_PATH
    throw new UserError('file', `${path} ${what}`, todo, { cause })
  }
}

/**
 * Replaces the text of a file either completely or not at all. The file keeps its permissions. If the path is
 * a symbolic link, the file that the link points to is replaced.
 *
 * @param former text that the file must still have
 * @throws UserError if another program has changed the file, or if it cannot be written
 */
export function replaceFile(path: string, former: string, text: string, cwd: string): void {
  if (readExactly(path, cwd) !== former)
    throw new UserError('file', `${path} was changed meanwhile`, 'run again; nothing was written')
  try {
    const place = realpathSync(resolve(cwd, path))
    const partial = `${place}.${randomBytes(6).toString('hex')}.partial`
    try {
      writeFileSync(partial, text, { flag: 'wx', flush: true, mode: statSync(place).mode })
      renameSync(partial, place)
    } finally {
      rmSync(partial, { force: true })
    }
  } catch (cause) {
    throw new UserError('file', `${path} cannot be written${describeCode(cause)}`, 'nothing was written', {
      cause,
    })
  }
}
