import { isUnencrypted } from '../settings/addresses.ts'
import { quoted } from '../settings/errors.ts'
import { isMapping, type Mapping, mappingOf } from '../settings/yaml.ts'
import { TARGETS } from '../targets/registry.ts'
import type { OutsideTarget } from '../targets/target-type.ts'

/**
 * A mistake in a configuration. The path may name a key that is not in the file, for example a missing key.
 */
export interface Breach {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

// The rules are also checked if the configuration has other mistakes, so that all mistakes are reported at
// once. A value of an unexpected type is left out here, because the schema reports it. These functions do not
// use zod, because it would take several times as long for thousands of integrations.

function eventOf(value: unknown) {
  const { type, url, eventId, auth } = mappingOf(value)
  return { type, url: typeof url === 'string' ? url : undefined, eventId, tokenUrl: mappingOf(auth).tokenUrl }
}

function receiverOf(value: unknown) {
  const { url, for: chosen } = mappingOf(value)
  return { url, for: chosen }
}

function integrationsOf(config: Mapping) {
  const all: readonly unknown[] = Array.isArray(config.integrations) ? config.integrations : []
  return all.map((one) => {
    const { id, source, content, platform, passwords } = mappingOf(one)
    return { id, source: eventOf(source), content, platform: eventOf(platform), passwords }
  })
}

/** Returns the webhooks of the configuration, each with its path in the file. */
function webhooksOf({ webhook = [] }: Mapping) {
  return Array.isArray(webhook)
    ? webhook.map((one: unknown, index) => ({ path: ['webhook', index], ...receiverOf(one) }))
    : [{ path: ['webhook'], ...receiverOf(webhook) }]
}

function mailOf({ mail }: Mapping) {
  return { path: ['mail'], ...receiverOf(mail) }
}

/**
 * Finds addresses that would receive credentials or personal data unencrypted. The configuration may also
 * have other mistakes.
 */
export function unencryptedAddresses(value: unknown): readonly Breach[] {
  const config = mappingOf(value)
  const breaches: Breach[] = []
  const message = 'must begin with https://, or add --insecure-http to send everything unencrypted'
  const check = (url: unknown, ...path: Breach['path']) => {
    if (isUnencrypted(url)) breaches.push({ path, message })
  }
  for (const [index, { source, platform }] of integrationsOf(config).entries()) {
    check(source.url, 'integrations', index, 'source', 'url')
    check(source.tokenUrl, 'integrations', index, 'source', 'auth', 'tokenUrl')
    check(platform.url, 'integrations', index, 'platform', 'url')
  }
  for (const { path, url } of webhooksOf(config)) check(url, ...path, 'url')
  check(mappingOf(config.lineage).to, 'lineage', 'to')
  return breaches
}

/** Returns the first index of each value. */
function firstOf<Value>(values: readonly Value[]): ReadonlyMap<Value, number> {
  return new Map(values.map((value, index) => [value, index] as const).reverse())
}

export const nameInList = (index: number): string => `integrations[${index}]`

/**
 * Checks the rules that compare several keys of the configuration. The configuration may also have other
 * mistakes.
 *
 * @param nameOf returns the name by which a message calls another integration
 * @param targets targets that are not part of this package, by their `type` in the configuration
 */
export function brokenRules(
  value: unknown,
  nameOf = nameInList,
  targets: ReadonlyMap<string, OutsideTarget> = new Map(),
): readonly Breach[] {
  const config = mappingOf(value)
  const [integrations, webhooks] = [integrationsOf(config), webhooksOf(config)]
  const ids = integrations.map(({ id }) => id)
  const isId = new Set(ids)
  const places = integrations.map(({ platform: { type, url, eventId } }) =>
    JSON.stringify([type, url, String(eventId)]),
  )
  const withPasswords = typesWithPasswords(targets)
  const [firstOfId, firstAtPlace] = [firstOf(ids), firstOf(places)]
  const strange = [...webhooks, mailOf(config)].flatMap(({ path, for: chosen }) =>
    (Array.isArray(chosen) ? chosen : []).flatMap((id, index) =>
      isId.has(id)
        ? []
        : [{ path: [...path, 'for', index], message: `${quoted(id)} is not the id of an integration` }],
    ),
  )
  const ofIntegrations = integrations.flatMap(({ id, content, platform, passwords }, index) => {
    const breaches: Breach[] = []
    const add = (key: Breach['path'], message: string) =>
      breaches.push({ path: ['integrations', index, ...key], message })
    const first = firstOfId.get(id) ?? index
    if (typeof id === 'string' && first < index)
      add(['id'], `${quoted(id)} is the id of ${nameOf(first)} too; each needs its own`)
    const { url, eventId } = platform
    const rival = firstAtPlace.get(places[index] ?? '') ?? index
    if (url !== undefined && rival < index) {
      const other = `${nameOf(rival)} too; each would overwrite the other, so each needs its own`
      add(['platform', 'eventId'], `${quoted(String(eventId))} is the platform event of ${other}`)
    }
    const key = config.sealingKey === undefined ? SEALING_KEY : null
    const isLeftOut = passwords === undefined && withPasswords.has(platform.type) && hasAttendees(content)
    if (isLeftOut) add(['passwords'], passwordsLeftOut(key))
    const isRandom = isMapping(passwords) && [undefined, 'random'].some((mode) => mode === passwords.mode)
    if (isRandom && key !== null) add(['passwords'], `random passwords need a top-level ${key}`)
    return breaches
  })
  return [...ofIntegrations, ...strange, ...repeatedWebhooks(webhooks, ids)]
}

/**
 * Finds the paths at which a configuration contains the id of an integration: the key `id` of the
 * integration, and lists of receivers.
 */
export function pathsNaming(value: unknown, integrationId: string): readonly Breach['path'][] {
  const config = mappingOf(value)
  const own = integrationsOf(config).flatMap(({ id }, index) =>
    String(id) === integrationId ? [['integrations', index, 'id']] : [],
  )
  const chosen = [...webhooksOf(config), mailOf(config)].flatMap(({ path, for: ids }) =>
    (Array.isArray(ids) ? ids : []).flatMap((id, index) =>
      String(id) === integrationId ? [[...path, 'for', index]] : [],
    ),
  )
  return [...own, ...chosen]
}

type Receiver = ReturnType<typeof receiverOf>

/** Finds webhooks that would receive each message about an integration twice. */
function repeatedWebhooks(
  webhooks: ReturnType<typeof webhooksOf>,
  ids: readonly unknown[],
): readonly Breach[] {
  const idsOf = ({ for: chosen }: Receiver) => (Array.isArray(chosen) ? chosen : ids)
  return webhooks.flatMap((webhook, index) => {
    const first = webhooks.findIndex(
      (other) => other.url === webhook.url && idsOf(other).some((id) => idsOf(webhook).includes(id)),
    )
    if (typeof webhook.url !== 'string' || first === index) return []
    const message = `is the address of webhook[${first}] too, and both are for the same integration; leave one out, or change \`for\``
    return [{ path: [...webhook.path, 'url'], message }]
  })
}

const SEALING_KEY = 'sealingKey: env:NAME or file:PATH of 32 bytes in base64'

/** Returns the types of platforms that take passwords. A type from outside counts before and after its check. */
function typesWithPasswords(targets: ReadonlyMap<string, OutsideTarget>): ReadonlySet<unknown> {
  const outside = [...targets].flatMap(([named, target]) => [
    [named, target] as const,
    [target.name, target] as const,
  ])
  const all = [...Object.entries(TARGETS), ...outside].filter(([, { takesPasswords }]) => takesPasswords)
  return new Set(all.map(([name]) => name))
}

/**
 * Returns true if an integration syncs attendees. An integration without the key `content` syncs all
 * contents.
 */
function hasAttendees(content: unknown): boolean {
  return content === undefined || [content].flat().includes('attendees')
}

function passwordsLeftOut(key: string | null): string {
  const stored = 'passwords: {storeEncryptedPassword: true}, by which the welcome email contains them'
  const needs = [stored, ...(key === null ? [] : [`a top-level ${key}`])].join('; and ')
  return `is missing, so each attendee would get a random password; set ${needs}; or set passwords: {mode: none} to send none`
}
