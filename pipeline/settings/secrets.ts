import { createHmac } from 'node:crypto'
import { isAbsolute, join } from 'node:path'
import { describeCode } from '../runtime/not-writable.ts'
import { ConfigError } from './errors.ts'
import type { SecretReference } from './values.ts'

const redacted = '[secret]'

/** A secret's value, which nothing prints by accident: only `reveal` returns it. */
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
 * Tells an account from others: the same credentials always give the same text, and the text gives away neither of them. They are the
 * key of an HMAC, and only 32 bits of it are kept: countless credentials share each. Two accounts that do share a rate limit too.
 */
export function accountOf(credentials: readonly Secret[]): string {
  const key = JSON.stringify(credentials.map((secret) => secret.reveal()))
  return createHmac('sha256', key).update('event-content-sync account').digest('hex').slice(0, 8)
}

export interface ConfigEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The file's text, UTF-8; throws as `fs.readFileSync` does. */
  readonly readFile: (path: string) => string
  /** Lets addresses begin with http:// that are not this machine's own. */
  readonly insecureHttp?: boolean
}

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
