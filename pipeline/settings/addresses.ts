import { isIP } from 'node:net'
import { ConfigError } from './errors.ts'
import { resolveSecret, type SecretEnvironment } from './secrets.ts'
import { isReference } from './values.ts'

/**
 * Returns true if others could read data that is sent to an address: the address is http, and not on this
 * machine.
 */
export function isUnencrypted(url: unknown): boolean {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  return parsed !== null && parsed.protocol === 'http:' && !isLoopback(parsed.hostname)
}

/** Returns true if every DNS resolver resolves a host name to this machine. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 4) return host.startsWith('127.')
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost')
}

/**
 * Returns the address in the value of a key. If the value is a reference, returns the address to which it
 * refers.
 *
 * @param key name of the key for messages, for example `webhook.url`
 * @throws ConfigError if the address is not valid; the message does not show the content of a reference
 */
export function addressOf(value: string, key: string, secrets: SecretEnvironment): URL {
  const text = isReference(value) ? resolveSecret(value, secrets, key).reveal() : value
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`${key}: the content of ${value} is not an http or https address (not shown)`, {
      todo: 'put an https address there',
    })
  }
  if (isUnencrypted(text) && secrets.insecureHttp !== true) {
    throw new ConfigError(
      `${key}: must begin with https://, or add --insecure-http to send everything unencrypted`,
    )
  }
  return url
}
