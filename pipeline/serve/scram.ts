import { createHash, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto'

/**
 * The server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), by which a client proves that it has the password.
 */

const ITERATIONS = 4096

/** The name by which the protocol of PostgreSQL calls this method. */
export const MECHANISM = 'SCRAM-SHA-256'

/** Keys with which a server checks a password. The password cannot be read from them. */
export interface Verifier {
  readonly salt: Buffer
  readonly storedKey: Buffer
  readonly serverKey: Buffer
}

export function makeVerifier(password: string, salt: Buffer): Verifier {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256')
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest()
  return { salt, storedKey, serverKey: hmac(salted, 'Server Key') }
}

/** One login. Each method returns null if the client's message is malformed or proves nothing. */
export interface Exchange {
  /** Takes the client's first message, and returns the server's. */
  first(message: string): string | null
  /** Takes the client's last message, and returns the server's signature. */
  last(message: string): string | null
}

/** @param nonce random text of printable characters without commas, new for each login */
export function openExchange({ salt, storedKey, serverKey }: Verifier, nonce: string): Exchange {
  let header = ''
  let bare = ''
  let challenge = ''
  return {
    first(message) {
      // `p=` would bind the login to a TLS channel, which a connection on this machine does not have.
      const [, gs2 = '', rest = '', theirs = ''] =
        /^((?:n|y),[^,]*,)(n=[^,]*,r=([!-+\--~]+).*)$/.exec(message) ?? []
      if (theirs === '') return null
      header = gs2
      bare = rest
      challenge = `r=${theirs}${nonce},s=${salt.toString('base64')},i=${ITERATIONS}`
      return challenge
    },
    last(message) {
      const [, unproved = '', binding = '', both = '', proof = ''] =
        /^(c=([^,]+),r=([^,]+)),p=([A-Za-z0-9+/=]+)$/.exec(message) ?? []
      const isSame =
        challenge.startsWith(`r=${both},`) && Buffer.from(binding, 'base64').toString() === header
      const proved = Buffer.from(proof, 'base64')
      if (!isSame || header === '' || proved.length !== storedKey.length) return null
      const signed = [bare, challenge, unproved].join(',')
      const clientKey = xor(proved, hmac(storedKey, signed))
      if (!timingSafeEqual(createHash('sha256').update(clientKey).digest(), storedKey)) return null
      return `v=${hmac(serverKey, signed).toString('base64')}`
    },
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)))
}
