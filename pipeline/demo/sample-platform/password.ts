import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'

/**
 * Cheap on purpose: a demo creates hundreds of attendees at once. A platform that people sign in to would take
 * a cost that is sixty times as high at least.
 */
const cost = 256
const hashBytes = 32

/** `salt:hash`, both in hexadecimal. */
export function hashPassword(password: string): string {
  const salt = randomBytes(16).toString('hex')
  return `${salt}:${scryptSync(password, salt, hashBytes, { N: cost }).toString('hex')}`
}

export function isPassword(password: string, stored: string): boolean {
  const [salt = '', hash = ''] = stored.split(':')
  return timingSafeEqual(
    scryptSync(password, salt, hashBytes, { N: cost }),
    Buffer.from(hash.padEnd(hashBytes * 2, '0'), 'hex'),
  )
}
