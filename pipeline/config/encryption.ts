import { isIP } from 'node:net'

/** Whether what is sent there could be read on its way. */
export function isUnencrypted(url: unknown): boolean {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  return parsed !== null && parsed.protocol === 'http:' && !isLoopback(parsed.hostname)
}

/** Whether a host is this machine itself, whatever its network says. */
function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 4) return host.startsWith('127.')
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost')
}
