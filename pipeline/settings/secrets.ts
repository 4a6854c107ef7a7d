import { createHmac } from 'node:crypto'
import { isAbsolute, join } from 'node:path'
import { describeCode } from '../runtime/not-writable.ts'
import { ConfigError } from './errors.ts'
import type { SecretReference } from './values.ts'

const redacted = '[secret]'

/**
 * The value of a secret (a password or key). Only the method `reveal` returns the value, so that it is not
 * printed by accident.
 */
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
 * Returns a text that identifies an account by its credentials. Equal credentials always give the same text.
 * The text does not reveal the credentials. The text is 32 bits of an HMAC (a keyed hash) whose key is the
 * credentials. If two accounts happen to have the same text, they share one rate limit.
 */
export function accountHash(credentials: readonly Secret[]): string {
  const key = JSON.stringify(credentials.map((secret) => secret.reveal()))
  return createHmac('sha256', key).update('event-content-sync account').digest('hex').slice(0, 8)
}

export interface ConfigEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Returns the text of a UTF-8 file. Throws the errors of `fs.readFileSync`. */
  readonly readFile: (path: string) => string
  /**
   * Returns the files that a glob in the configuration matches. The paths start from the folder of the
   * configuration. If the glob is absolute, the paths are absolute. If this function is left out, no glob
   * matches any file.
   */
  readonly findFiles?: (glob: string) => readonly string[]
  /** True if http:// addresses on other machines are allowed. */
  readonly insecureHttp?: boolean
}

export interface SecretEnvironment extends ConfigEnvironment {
  /** Folder of the configuration file. Relative paths are resolved from this folder. */
  readonly configFolder: string
}

/**
 * Returns the secret to which a reference refers. A byte order mark and one newline at the end of a file are
 * not part of the secret.
 *
 * @param what key that has the reference, for messages, for example `integrations[0].source.apiKey`
 * @throws ConfigError if the secret does not exist or is empty; the message names the key and the reference
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
