import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { type Config, ConfigError, resolveSealingKey, type SecretEnvironment } from '../config.ts'
import type { Environment } from '../environment.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const TOKEN_BYTES = 10

/** What of `sealingKey` knows people again who were forgotten, and seals an id until the platform was told. */
export interface ForgettingKeys {
  /** Tells whether a later run has the same key. */
  readonly check: Uint8Array
  macOfId(id: string): Uint8Array
  macOfAddress(address: string): Uint8Array
  seal(token: string, id: string): Uint8Array
  /** @throws ConfigError where another key sealed it */
  open(token: string, sealed: Uint8Array): string
  newToken(): string
}

interface KeyContext {
  readonly config: Config
  readonly secrets: SecretEnvironment
  readonly environment: Environment
}

/** @throws ConfigError where no key is configured */
export function forgettingKeysOf(
  { config, secrets, environment }: KeyContext,
  integrationId: string,
): ForgettingKeys {
  const key = resolveSealingKey(config, secrets)?.reveal()
  if (key === undefined) {
    throw new ConfigError(
      'sealingKey is missing: whoever is forgotten is known again by it alone, so that no later read brings them back. `openssl rand -base64 32` makes one; put it where secrets are kept, name it as sealingKey: env:NAME or file:PATH, and keep it as long as the database',
    )
  }
  return forgettingKeys(Buffer.from(key, 'base64'), integrationId, environment)
}

/** @param key 32 bytes; keys for each purpose are derived from it */
function forgettingKeys(
  key: Uint8Array,
  integrationId: string,
  { randomBytes }: Pick<Environment, 'randomBytes'>,
): ForgettingKeys {
  const derive = (purpose: string) =>
    createHmac('sha256', key).update(`event-content-sync ${purpose}`).digest()
  const [macKey, sealKey] = [derive('forget: mac'), derive('forget: seal')]
  const mac = (...parts: readonly string[]) =>
    createHmac('sha256', macKey).update(JSON.stringify(parts)).digest()
  const contextOf = (token: string) => Buffer.from(JSON.stringify([integrationId, token]))
  return {
    check: mac('check'),
    macOfId: (id) => mac('id', integrationId, id),
    macOfAddress: (address) => mac('address', integrationId, address.trim().toLowerCase().normalize('NFC')),
    seal(token, id) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce).setAAD(contextOf(token))
      const sealed = Buffer.concat([cipher.update(id, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    },
    open(token, sealed) {
      const cell = Buffer.from(sealed)
      const decipher = createDecipheriv('aes-256-gcm', sealKey, cell.subarray(0, NONCE_BYTES))
      decipher.setAAD(contextOf(token)).setAuthTag(cell.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        const text = decipher.update(cell.subarray(NONCE_BYTES + TAG_BYTES))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch (cause) {
        throw new ConfigError(otherKey(integrationId), { cause })
      }
    },
    newToken: () => `forgotten-${Buffer.from(randomBytes(TOKEN_BYTES)).toString('hex')}`,
  }
}

/** Opens the ids of those whom the platform still has to be told of; the key is looked up when there is one. */
export function idOpenerOf(context: KeyContext, integrationId: string): ForgettingKeys['open'] {
  return (token, sealed) => forgettingKeysOf(context, integrationId).open(token, sealed)
}

/** @throws ConfigError where people were forgotten with another key: nothing would know them again */
export function requireSameKey(
  keys: ForgettingKeys,
  integrationId: string,
  ids: readonly { readonly keyCheck: Uint8Array }[],
): void {
  if (ids.every(({ keyCheck }) => timingSafeEqual(keyCheck, keys.check))) return
  throw new ConfigError(otherKey(integrationId))
}

function otherKey(integrationId: string): string {
  return `sealingKey: it is not the key with which people of ${integrationId} were forgotten, so nobody would know them again; use the key of then`
}
