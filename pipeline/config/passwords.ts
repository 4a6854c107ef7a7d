import { ConfigError } from '../settings/errors.ts'
import { resolveSecret, type Secret, type SecretEnvironment } from '../settings/secrets.ts'
import type { Config, IntegrationConfig } from './schema.ts'

const shortestPassword = 6
const sealingKeyBytes = 32

/** The one password of all attendees, at least 6 Unicode characters; null where the integration has none. */
export function resolveGlobalPassword({ id, passwords }: IntegrationConfig, environment: SecretEnvironment) {
  if (passwords?.mode !== 'global') return null
  const what = `passwords.global of ${id}`
  const password = resolveSecret(passwords.global, environment, what)
  if ([...password.reveal()].length >= shortestPassword) return password
  throw new ConfigError(`${what}: the password in ${passwords.global} is too short`, {
    todo: `the platform takes ${shortestPassword} characters or more`,
  })
}

/** The key that seals random passwords, as its 32 bytes in base64; null where none is configured. */
export function resolveSealingKey({ sealingKey }: Config, environment: SecretEnvironment): Secret | null {
  if (sealingKey === undefined) return null
  const key = resolveSecret(sealingKey, environment, 'sealingKey')
  const bytes = Buffer.from(key.reveal(), 'base64')
  if (bytes.length === sealingKeyBytes && bytes.toString('base64') === key.reveal()) return key
  throw new ConfigError(`sealingKey: the secret ${sealingKey} is not 32 bytes in base64`, {
    todo: '`openssl rand -base64 32` makes one',
  })
}
