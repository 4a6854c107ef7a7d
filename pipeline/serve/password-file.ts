import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { describeCode } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'

/**
 * Returns the password in a file. If the file does not exist, makes it with a new password. Only the owner of
 * the file can read it. The file has the format of PGPASSFILE, so that psql and other clients can read it.
 *
 * @param random 24 random bytes
 * @throws UserError if the file has another format
 */
export function passwordInFile(path: string, host: string, random: Uint8Array): string {
  try {
    if (!existsSync(path)) {
      const file = openSync(path, 'wx', 0o600)
      writeSync(file, `${host}:*:*:*:${Buffer.from(random).toString('base64url')}\n`)
      closeSync(file)
    }
    const [, password] = /^[^:\n]+:\*:\*:\*:([\w-]{20,})\n?$/.exec(readFileSync(path, 'utf8')) ?? []
    if (password !== undefined) return password
  } catch (cause) {
    throw new UserError(
      'file',
      `${path} cannot be used${describeCode(cause)}`,
      'check that this user owns it',
      {
        cause,
      },
    )
  }
  throw new UserError(
    'file',
    `${path} is not a password file of this command`,
    'delete it, so that a new one is made',
  )
}
