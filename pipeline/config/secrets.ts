import { isAbsolute, join } from 'node:path'
import { ConfigError } from './errors.ts'
import type { ConfigEnvironment } from './load.ts'
import type { Config, IntegrationConfig } from './schema.ts'
import type { SecretReference } from './values.ts'

const redacted = '[secret]'

/** A secret's value, which nothing prints by accident: only `reveal` hands it out. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return redacted
  }

  toJSON(): string {
    return redacted
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return redacted
  }
}

/** Where secrets are looked up. */
export interface SecretEnvironment extends ConfigEnvironment {
  /** The folder of the configuration file, from which relative paths start. */
  readonly configFolder: string
}

/**
 * Looks up one secret. Of a file, a byte order mark and one newline at its end are not part of the secret.
 *
 * @param what the key that holds the reference, for messages: `integrations[0].source.apiKey`
 * @throws ConfigError if it is not there or empty, naming key and reference
 */
export function resolveSecret(
  reference: SecretReference,
  environment: SecretEnvironment,
  what: string,
): Secret {
  const value = reference.startsWith('env:')
    ? readVariable(reference.slice('env:'.length), environment, what)
    : readSecretFile(reference.slice('file:'.length), environment, what)
  if (value === '')
    throw new ConfigError(`${what}: the secret ${reference} is empty; put a value there and run again`)
  return new Secret(value)
}

function readVariable(name: string, { env }: SecretEnvironment, what: string): string {
  const value = env[name]
  if (value !== undefined) return value
  throw new ConfigError(
    `${what}: the secret env:${name} is not there; set the environment variable ${name} and run again`,
  )
}

function readSecretFile(path: string, { readFile, configFolder }: SecretEnvironment, what: string): string {
  const place = isAbsolute(path) ? path : join(configFolder, path)
  try {
    return readFile(place)
      .replace(/^\uFEFF/, '')
      .replace(/\r?\n$/, '')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    const message = `${what}: the secret file:${path} cannot be read${code}; see to the file ${place} and run again`
    throw new ConfigError(message, { cause })
  }
}

const shortestPassword = 6
const sealingKeyBytes = 32

/**
 * The one password of all attendees, or null where the integration has none such.
 *
 * Source: spec 5.2, at least 6 characters (Unicode characters, not bytes), case kept.
 */
export function resolveGlobalPassword(
  { id, passwords }: IntegrationConfig,
  environment: SecretEnvironment,
): Secret | null {
  if (passwords?.mode !== 'global') return null
  const what = `passwords.global of ${id}`
  const password = resolveSecret(passwords.global, environment, what)
  if ([...password.reveal()].length >= shortestPassword) return password
  throw new ConfigError(
    `${what}: the password in ${passwords.global} is too short; the platform takes ${shortestPassword} characters or more`,
  )
}

/** The key that seals random passwords, as its 32 bytes in base64; null where none is configured. */
export function resolveSealingKey({ sealingKey }: Config, environment: SecretEnvironment): Secret | null {
  if (sealingKey === undefined) return null
  const key = resolveSecret(sealingKey, environment, 'sealingKey')
  const bytes = Buffer.from(key.reveal(), 'base64')
  if (bytes.length === sealingKeyBytes && bytes.toString('base64') === key.reveal()) return key
  throw new ConfigError(
    `sealingKey: the secret ${sealingKey} is not 32 bytes in base64; \`openssl rand -base64 32\` makes one`,
  )
}
