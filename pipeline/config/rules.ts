import { isIP } from 'node:net'
import { z } from 'zod'
import { quoted } from '../settings/errors.ts'
import { TARGETS } from '../targets/registry.ts'

/** A mistake in a configuration, at a place that may not be there. */
export interface Breach {
  readonly path: readonly (string | number)[]
  readonly message: string
}

// The rules run over a configuration that may have other faults, so that all are reported at once: what does not
// have the expected shape is skipped here, the schema names it.
const anything = z.unknown().optional()
const event = z
  .object({ type: anything, url: z.string().optional().catch(undefined), eventId: anything })
  .catch({})
const looseShape = z.object({
  sealingKey: anything,
  webhook: z.object({ url: anything }).catch({}).default({}),
  lineage: z.object({ to: anything }).catch({}).default({}),
  integrations: z
    .array(
      z
        .object({ id: anything, source: event, platform: event, passwords: anything })
        .catch({ source: {}, platform: {} }),
    )
    .catch([]),
})

/** Addresses, in a configuration valid or not, that would send credentials and people's data unencrypted. */
export function unencryptedAddresses(value: unknown): readonly Breach[] {
  const { data } = looseShape.safeParse(value)
  if (data === undefined) return []
  const addresses: readonly (readonly [Breach['path'], unknown])[] = [
    ...data.integrations.flatMap(({ source, platform }, index) => [
      [['integrations', index, 'source', 'url'], source.url] as const,
      [['integrations', index, 'platform', 'url'], platform.url] as const,
    ]),
    [['webhook', 'url'], data.webhook.url],
    [['lineage', 'to'], data.lineage.to],
  ]
  const message = 'must begin with https://, or add --insecure-http to send everything unencrypted'
  return addresses.filter(([, url]) => isUnencrypted(url)).map(([path]) => ({ path, message }))
}

/** The rules that look at more than one key, of a configuration valid or not. */
export function brokenRules(value: unknown): readonly Breach[] {
  const { data } = looseShape.safeParse(value)
  if (data === undefined) return []
  const { integrations, sealingKey } = data
  return integrations.flatMap(({ id, platform, passwords }, index) => {
    const breaches: Breach[] = []
    const add = (key: readonly string[], message: string) =>
      breaches.push({ path: ['integrations', index, ...key], message })
    const first = integrations.findIndex((other) => other.id === id)
    if (typeof id === 'string' && first < index)
      add(['id'], `${quoted(id)} is the id of integrations[${first}] too; each needs its own`)
    const { url, eventId } = platform
    const rival = integrations.findIndex(
      ({ platform: other }) =>
        other.type === platform.type && other.url === url && String(other.eventId) === String(eventId),
    )
    if (url !== undefined && rival < index) {
      const other = `integrations[${rival}] too; each would overwrite the other, so each needs its own`
      add(['platform', 'eventId'], `${quoted(String(eventId))} is the platform event of ${other}`)
    }
    const target = Object.entries(TARGETS).find(([type]) => type === platform.type)
    if (target?.[1].takesPasswords && passwords === undefined) {
      const choice = 'mode: global, random or none'
      add(['passwords'], `is missing; a platform of type ${target[0]} needs it: set ${choice}`)
    }
    const mode: unknown = Reflect.get(Object(passwords), 'mode')
    if (mode === 'random' && sealingKey === undefined) {
      const where = 'env:NAME or file:PATH of 32 bytes in base64'
      add(['passwords', 'mode'], `random needs a top-level sealingKey: ${where}`)
    }
    return breaches
  })
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
