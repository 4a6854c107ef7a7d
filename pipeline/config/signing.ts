import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { ConfigError } from '../settings/errors.ts'
import { resolveSecret, type SecretEnvironment } from '../settings/secrets.ts'
import type { Config } from './schema.ts'

/** Signs the bytes of the manifest of an audit pack. Returns the signature in base64. */
export type SignManifest = (manifest: Buffer) => string

/**
 * Returns the function that signs with `audit.signingKey`, an Ed25519 private key in PEM. Returns null if no
 * key is configured.
 *
 * @throws ConfigError if the key cannot be read
 */
export function resolveSigner(config: Config, secrets: SecretEnvironment): SignManifest | null {
  const key = resolveSigningKey(config, secrets)
  return key === null ? null : (manifest) => sign(null, manifest, key).toString('base64')
}

/**
 * Returns the public key that belongs to `audit.signingKey`; null if no key is configured.
 *
 * @throws ConfigError if the key cannot be read
 */
export function resolvePublicKey(config: Config, secrets: SecretEnvironment): KeyObject | null {
  const key = resolveSigningKey(config, secrets)
  return key === null ? null : createPublicKey(key)
}

function resolveSigningKey({ audit }: Config, secrets: SecretEnvironment): KeyObject | null {
  if (audit.signingKey === undefined) return null
  const secret = resolveSecret(audit.signingKey, secrets, 'audit.signingKey')
  const key = readKey(secret.reveal())
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new ConfigError(
      `audit.signingKey: the secret ${audit.signingKey} is not an Ed25519 private key in PEM`,
      { todo: 'create one with `openssl genpkey -algorithm ed25519`' },
    )
  }
  return key
}

/**
 * Parses a private key in PEM; returns null if the text is not a key. The error of the library is dropped,
 * because it may quote the secret.
 */
function readKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}
