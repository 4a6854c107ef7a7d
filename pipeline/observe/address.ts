import { isReference } from '../config/values.ts'
import { ConfigError, isUnencrypted, resolveSecret, type SecretEnvironment } from '../config.ts'

/**
 * The address that a key names, itself or by reference.
 *
 * @param key for messages: `webhook.url`
 * @throws ConfigError; what is kept by reference is not quoted
 */
export function addressOf(value: string, key: string, secrets: SecretEnvironment): URL {
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
