import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Environment } from '../runtime/environment.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts text with AES-256-GCM: nonce, tag and ciphertext in one. `context` must be the same to open it. */
export function seal(
  key: Uint8Array,
  context: readonly string[],
  text: string,
  { randomBytes }: Pick<Environment, 'randomBytes'>,
): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(JSON.stringify(context)))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** @throws where another key or context sealed it */
export function unseal(key: Uint8Array, context: readonly string[], sealed: Uint8Array): string {
  const cell = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, cell.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(JSON.stringify(context)))
  decipher.setAuthTag(cell.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const text = decipher.update(cell.subarray(NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}
