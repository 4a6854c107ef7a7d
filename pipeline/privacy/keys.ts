import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { addressKey } from '../../transforms/rules/addresses.ts'
import { ConfigError, resolveSealingKey } from '../config/config.ts'
import type { BaseContext } from '../context/run-context.ts'
import type { Environment } from '../runtime/environment.ts'

const TOKEN_BYTES = 10

/** Keys derived from `sealingKey`: they recognise forgotten people, and seal an id until the platform has removed the person. */
export type ForgettingKeys = ReturnType<typeof forgettingKeys>

/** @throws ConfigError where no key is configured */
export function forgettingKeysOf(
  { config, secrets, environment }: BaseContext,
  integrationId: string,
): ForgettingKeys {
  const key = resolveSealingKey(config, secrets)?.reveal()
  if (key === undefined) {
    throw new ConfigError(
      'sealingKey is missing: without it, later reads would not recognise people who were forgotten, and would bring them back. Create one with `openssl rand -base64 32`, store it with your secrets, set sealingKey to env:NAME or file:PATH, and keep the key as long as the database',
    )
  }
  return forgettingKeys(Buffer.from(key, 'base64'), integrationId, environment)
}

/** @param key 32 bytes; keys for each purpose are derived from it */
function forgettingKeys(key: Uint8Array, integrationId: string, environment: Environment) {
  const derive = (purpose: string) =>
    createHmac('sha256', key).update(`event-content-sync ${purpose}`).digest()
  const [macKey, sealKey] = [derive('forget: mac'), derive('forget: seal')]
  const mac = (...parts: readonly string[]): Uint8Array =>
    createHmac('sha256', macKey).update(JSON.stringify(parts)).digest()
  return {
    /** Shows whether a later run has the same key. */
    check: mac('check'),
    /** @param forgottenIn integration in which the person was forgotten */
    macOfId: (id: string, forgottenIn: string) => mac('id', forgottenIn, id),
    macOfAddress: (address: string, forgottenIn: string) => mac('address', forgottenIn, addressKey(address)),
    /** Shows whether a file of suppressions is as it was written. */
    macOfFile: (text: string) => mac('file', text),
    seal: (token: string, id: string) => seal(sealKey, [integrationId, token], id, environment),
    /** @throws ConfigError where another key sealed it */
    open(token: string, sealed: Uint8Array): string {
      try {
        return unseal(sealKey, [integrationId, token], sealed)
      } catch (cause) {
        throw new ConfigError(otherKey(integrationId), { cause })
      }
    },
    newToken: () => `forgotten-${Buffer.from(environment.randomBytes(TOKEN_BYTES)).toString('hex')}`,
  }
}

/** Opens ids of people whom the platform still has to remove; the key is looked up when there is one. */
export function idOpenerOf(context: BaseContext, integrationId: string): ForgettingKeys['open'] {
  return (token, sealed) => forgettingKeysOf(context, integrationId).open(token, sealed)
}

/** @throws ConfigError where people were forgotten with another key, so that nobody would recognise them */
export function requireSameKey(
  keys: Pick<ForgettingKeys, 'check'>,
  integrationId: string,
  kept: readonly { readonly keyCheck: Uint8Array | null }[],
): void {
  if (kept.every(({ keyCheck }) => keyCheck === null || timingSafeEqual(keyCheck, keys.check))) return
  throw new ConfigError(otherKey(integrationId))
}

function otherKey(integrationId: string): string {
  return `sealingKey is not the key with which people of ${integrationId} were forgotten, so they would not be recognised; use that key`
}

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
