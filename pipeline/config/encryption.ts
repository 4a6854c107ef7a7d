import { isIP } from 'node:net'
import { z } from 'zod'
import type { Breach } from './rules.ts'

const glance = z.object({
  webhook: z.object({ url: z.unknown().optional() }).catch({}).default({}),
  lineage: z.object({ to: z.unknown().optional() }).catch({}).default({}),
  integrations: z
    .array(
      z
        .object({
          source: z.object({ url: z.unknown().optional() }).catch({}),
          platform: z.object({ url: z.unknown().optional() }).catch({}),
        })
        .catch({ source: {}, platform: {} }),
    )
    .catch([]),
})

/**
 * Addresses that would send credentials and people's data unencrypted over a network.
 *
 * @param value the configuration, valid or not
 */
export function unencryptedAddresses(value: unknown): readonly Breach[] {
  const seen = glance.safeParse(value)
  if (!seen.success) return []
  const { integrations, lineage, webhook } = seen.data
  const addresses: readonly (readonly [readonly (string | number)[], unknown])[] = [
    ...integrations.flatMap(({ source, platform }, index) => [
      [['integrations', index, 'source', 'url'], source.url] as const,
      [['integrations', index, 'platform', 'url'], platform.url] as const,
    ]),
    [['webhook', 'url'], webhook.url],
    [['lineage', 'to'], lineage.to],
  ]
  return addresses
    .filter(([, url]) => isUnencrypted(url))
    .map(([path]) => ({
      path,
      message: 'must begin with https://, or add --insecure-http to send everything unencrypted',
    }))
}

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
