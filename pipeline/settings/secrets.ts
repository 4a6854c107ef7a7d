import { createHmac } from 'node:crypto'
import { isAbsolute, join } from 'node:path'
import { describeCode } from '../runtime/not-writable.ts'
import { ConfigError } from './errors.ts'
import type { SecretReference } from './values.ts'

const redacted = '[secret]'

/** The value of a secret. Only `reveal` returns it, so that it is not printed by accident. */
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

/**
 * Returns a text that identifies an account. The same credentials always give the same text. The text does
 * not reveal the credentials: they are the key of an HMAC, and only 32 bits of the HMAC are kept. If two
 * accounts happen to have the same text, they share a rate limit.
 */
export function accountOf(credentials: readonly Secret[]): string {
  const key = JSON.stringify(credentials.map((secret) => secret.reveal()))
  return createHmac('sha256', key).update('event-content-sync account').digest('hex').slice(0, 8)
}

export interface ConfigEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Returns the text of a file in UTF-8; throws like `fs.readFileSync`. */
  readonly readFile: (path: string) => string
  /**
   * Returns the files that a glob in the configuration matches: paths from the folder of the configuration, or
   * absolute paths if the glob is absolute. If it is left out, no glob matches a file.
   */
  readonly findFiles?: (glob: string) => readonly string[]
  /** True to allow http:// addresses on other machines. */
  readonly insecureHttp?: boolean
}

export interface SecretEnvironment extends ConfigEnvironment {
  /** Folder of the configuration file. Relative paths start there. */
  readonly configFolder: string
}

/**
 * Looks up a secret. In a file, a byte order mark and one newline at the end are not part of the secret.
 *
 * @param what key with the reference, for messages: `integrations[0].source.apiKey`
 * @throws ConfigError if the secret does not exist or is empty; the message names key and reference
 */
export function resolveSecret(reference: SecretReference, environment: SecretEnvironment, what: string) {
  const value = reference.startsWith('env:')
    ? readVariable(reference.slice('env:'.length), environment, what)
    : readSecretFile(reference.slice('file:'.length), environment, what)
  if (value === '')
    throw new ConfigError(`${what}: the secret ${reference} is empty`, {
      todo: 'put a value there and try again',
    })
  return new Secret(value)
}

function readVariable(name: string, { env }: SecretEnvironment, what: string): string {
  const value = env[name]
  if (value !== undefined) return value
  throw new ConfigError(`${what}: the secret env:${name} does not exist`, {
    todo: `set the environment variable ${name} and try again`,
  })
}

function readSecretFile(path: string, { readFile, configFolder }: SecretEnvironment, what: string): string {
  const file = isAbsolute(path) ? path : join(configFolder, path)
  try {
    return readFile(file)
      .replace(/^\uFEFF/, '')
      .replace(/\r?\n$/, '')
  } catch (cause) {
    throw new ConfigError(`${what}: the secret file:${path} cannot be read${describeCode(cause)}`, {
      todo: `check the file ${file} and try again`,
      cause,
    })
  }
}
