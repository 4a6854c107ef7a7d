import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import type { ForgottenAddress } from '../../loaders/people/forgotten.ts'
import { addressKey } from '../../transforms/rules/addresses.ts'
import { ConfigError, resolveSealingKeys } from '../config/config.ts'
import type { Environment } from '../runtime/environment.ts'
import type { BaseContext } from './run-context.ts'

const TOKEN_BYTES = 10

/**
 * Keys that are derived from `sealingKey` and `formerSealingKeys`. The product uses these keys to recognise
 * forgotten people. The product also encrypts (seals) a person's id with these keys until the platform has
 * removed the person.
 */
export type ForgettingKeys = ReturnType<typeof forgettingKeys>

/**
 * The further inputs of the hash of an id or address: the integration in which the person was forgotten, and
 * the check value of the key.
 */
export type SumOrigin = Pick<ForgottenAddress, 'forgottenIn' | 'keyCheck'>

/** Returns the keys for forgetting people; null if no key is configured. */
export function findForgettingKeys(
  { config, secrets, environment }: BaseContext,
  integrationId: string,
): ForgettingKeys | null {
  const keys = resolveSealingKeys(config, secrets)
  return keys === null ? null : forgettingKeys(keys, integrationId, environment)
}

/** Returns the keys for forgetting people. @throws ConfigError if no key is configured */
export function forgettingKeysOf(context: BaseContext, integrationId: string): ForgettingKeys {
  const keys = findForgettingKeys(context, integrationId)
  if (keys === null) {
    throw new ConfigError(
      'sealingKey is missing: without it, later reads would not recognise people who were forgotten, and would bring them back. Create one with `openssl rand -base64 32`, store it with your secrets, set sealingKey to env:NAME or file:PATH, and keep the key as long as the database',
    )
  }
  return keys
}

/** Derives one key for each purpose from a key of 32 bytes. */
function deriveKeys(key: Uint8Array) {
  const derive = (purpose: string) =>
    createHmac('sha256', key).update(`event-content-sync ${purpose}`).digest()
  const macKey = derive('forget: mac')
  const mac = (...parts: readonly string[]): Uint8Array =>
    createHmac('sha256', macKey).update(JSON.stringify(parts)).digest()
  return { mac, check: mac('check'), sealKey: derive('forget: seal') }
}

/**
 * Derives all keys for forgetting people. The first key is `sealingKey`, and the others are
 * `formerSealingKeys`. Each key for forgetting people is derived from 32 bytes.
 */
function forgettingKeys(
  [first, ...former]: readonly [Uint8Array, ...Uint8Array[]],
  integrationId: string,
  environment: Environment,
) {
  const current = deriveKeys(first)
  const all = [current, ...former.map(deriveKeys)]
  const sealKeys = all.map(({ sealKey }) => sealKey)
  const find = (check: Uint8Array) => all.find((one) => timingSafeEqual(one.check, check))
  /**
   * Returns the hash function that uses the key of a stored hash. The caller has called `requireSameKey`, so
   * this key exists.
   */
  const macOf = ({ keyCheck }: SumOrigin) => (find(keyCheck) ?? current).mac
  return {
    /** Check value of the current key. A later run compares it to see whether it has the same key. */
    check: current.check,
    has: (check: Uint8Array) => find(check) !== undefined,
    macOfId: (id: string, of: SumOrigin) => macOf(of)('id', of.forgottenIn, id),
    macOfAddress: (address: string, of: SumOrigin) =>
      macOf(of)('address', of.forgottenIn, addressKey(address)),
    /**
     * Computes the hash that reveals whether a file of suppressions was changed.
     *
     * @param check check value of the key with which the file was written
     */
    macOfFile: (text: string, check: Uint8Array) => macOf({ forgottenIn: '', keyCheck: check })('file', text),
    seal: (token: string, id: string) => seal(current.sealKey, [integrationId, token], id, environment),
    /**
     * Encrypts a text so that equal texts with the same purpose have equal bytes. Without the key, nothing
     * but this equality can be seen.
     */
    sealAlike(purpose: string, text: string): Uint8Array {
      const nonce = current.mac('nonce', purpose, text).subarray(0, NONCE_BYTES)
      return seal(current.sealKey, [purpose], text, { randomBytes: () => nonce })
    },
    /**
     * Decrypts an id that `seal` encrypted.
     *
     * @throws ConfigError if none of the configured keys encrypted it
     */
    open(token: string, sealed: Uint8Array): string {
      const id = unsealWith(sealKeys, [integrationId, token], sealed)
      if (id === null) throw new ConfigError(otherKey(integrationId))
      return id
    },
    /**
     * Decrypts a text that `sealAlike` encrypted.
     *
     * @throws ConfigError if none of the configured keys encrypted it
     */
    openAlike(purpose: string, sealed: Uint8Array): string {
      const text = unsealWith(sealKeys, [purpose], sealed)
      if (text === null) throw new ConfigError(otherKey(integrationId))
      return text
    },
    newToken: () => `forgotten-${Buffer.from(environment.randomBytes(TOKEN_BYTES)).toString('hex')}`,
  }
}

/**
 * Returns a function that decrypts a value of one id of an integration and encrypts it for another id. The
 * values are ids of forgotten people, and random passwords.
 *
 * @throws ConfigError if no key is configured. The returned function throws ConfigError if a value was
 *   encrypted with an unknown key
 */
export function resealerOf({ config, secrets, environment }: BaseContext, from: string, to: string) {
  const raw = resolveSealingKeys(config, secrets)
  if (raw === null)
    throw new ConfigError(`sealingKey is missing: passwords or ids of ${from} are encrypted with it`, {
      todo: 'set it to env:NAME or file:PATH; nothing was renamed',
    })
  const [first] = raw
  // Passwords are encrypted with the configured key. Ids are encrypted with a key that is derived from the
  // configured key.
  const kinds = [
    { key: first, all: raw },
    { key: deriveKeys(first).sealKey, all: raw.map((key) => deriveKeys(key).sealKey) },
  ]
  return (name: string, sealed: Uint8Array): Uint8Array => {
    for (const { key, all } of kinds) {
      const text = unsealWith(all, [from, name], sealed)
      if (text !== null) return seal(key, [to, name], text, environment)
    }
    throw new ConfigError(otherKey(from))
  }
}

/**
 * Returns a function that decrypts the ids of people whom the platform must still remove. The function looks
 * the key up only when it decrypts an id.
 */
export function idOpenerOf(context: BaseContext, integrationId: string): ForgettingKeys['open'] {
  return (token, sealed) => forgettingKeysOf(context, integrationId).open(token, sealed)
}

/**
 * Checks that the configured keys can recognise all forgotten people.
 *
 * @throws ConfigError if people were forgotten with a key that is not configured
 */
export function requireSameKey(
  keys: Pick<ForgettingKeys, 'has'>,
  integrationId: string,
  kept: readonly { readonly keyCheck: Uint8Array }[],
): void {
  if (kept.every(({ keyCheck }) => keys.has(keyCheck))) return
  throw new ConfigError(otherKey(integrationId))
}

function otherKey(integrationId: string): string {
  return `neither sealingKey nor formerSealingKeys has the key with which people of ${integrationId} were forgotten, so they would not be recognised; list that key in formerSealingKeys`
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts a text with AES-256-GCM. The result is the nonce, the tag and the ciphertext. Decryption needs the
 * same `context`.
 */
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

/** Decrypts a text with the first key that works; returns null if no key works. */
export function unsealWith(
  keys: readonly Uint8Array[],
  context: readonly string[],
  sealed: Uint8Array,
): string | null {
  for (const key of keys) {
    try {
      return unseal(key, context, sealed)
    } catch {
      // If one key cannot decrypt the text, the loop tries the next key.
    }
  }
  return null
}

/** Decrypts a text with one key. @throws if the text was encrypted with another key or another context */
function unseal(key: Uint8Array, context: readonly string[], sealed: Uint8Array): string {
  const cell = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, cell.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(JSON.stringify(context)))
  decipher.setAuthTag(cell.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const text = decipher.update(cell.subarray(NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}
