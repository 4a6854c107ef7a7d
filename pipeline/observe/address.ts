import {
  ConfigError,
  isUnencrypted,
  type LineageConfig,
  resolveSecret,
  type SecretEnvironment,
  type WebhookConfig,
} from '../config/config.ts'
import { isReference } from '../settings/values.ts'

/**
 * The address that is the value of a key, or to which the value refers.
 *
 * @param key for messages: `webhook.url`
 * @throws ConfigError that does not quote what a reference names
 */
function addressOf(value: string, key: string, secrets: SecretEnvironment): URL {
  const text = isReference(value) ? resolveSecret(value, secrets, key).reveal() : value
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`${key}: what ${value} holds is not an http or https address (not shown)`)
  }
  if (isUnencrypted(text) && secrets.insecureHttp !== true) {
    throw new ConfigError(
      `${key}: must begin with https://, or add --insecure-http to send everything unencrypted`,
    )
  }
  return url
}

function revealed(
  reference: WebhookConfig['secret'],
  key: string,
  secrets: SecretEnvironment,
): string | null {
  return reference === undefined ? null : resolveSecret(reference, secrets, key).reveal()
}

/** @throws ConfigError */
export function webhookAddress({ url, secret }: WebhookConfig, secrets: SecretEnvironment) {
  const signingKey = revealed(secret, 'webhook.secret', secrets)
  return { url: addressOf(url, 'webhook.url', secrets), secret: signingKey }
}

/**
 * @returns null where events go to a file
 * @throws ConfigError
 */
export function lineageAddress({ to, token }: LineageConfig, secrets: SecretEnvironment) {
  if (!isReference(to) && !/^https?:/i.test(to)) return null
  const bearer = revealed(token, 'lineage.token', secrets)
  return { url: addressOf(to, 'lineage.to', secrets), token: bearer }
}
