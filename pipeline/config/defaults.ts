/**
 * The rules by which `defaults` of event-sync.yaml are merged into an integration. They work on values that are
 * not checked yet: the result is checked like an integration that is written out.
 */

import { isMapping, type Mapping } from '../settings/yaml.ts'

/** Keys of an integration that cannot be defaults, because each integration has its own. */
export const KEYS_WITHOUT_DEFAULT: ReadonlySet<string> = new Set(['id', 'name'])

/** Keys of an integration whose mappings have several forms, which `type` or `mode` tells apart. */
const KEYS_WITH_FORMS: ReadonlySet<string> = new Set(['source', 'platform', 'passwords'])

/**
 * Returns the defaults that can be merged, from the value of `defaults`. The reader of the file reports others.
 */
export function usableDefaults(defaults: unknown): Mapping {
  const entries = isMapping(defaults) ? Object.entries(defaults) : []
  return Object.fromEntries(entries.filter(([key]) => !KEYS_WITHOUT_DEFAULT.has(key)))
}

/**
 * Returns the defaults that fit an integration. A mapping of another form is left out: if the integration has
 * `source: {type: b}`, defaults of `source: {type: a}` do not fit.
 */
export function fittingDefaults(defaults: Mapping, integration: unknown): Mapping {
  const given = isMapping(integration) ? integration : {}
  const fitting = Object.entries(defaults).flatMap(([key, value]) => {
    if (!KEYS_WITH_FORMS.has(key)) return [[key, value] as const]
    return isOtherForm(value, given[key]) ? [] : [[key, ofSameForm(value, given[key])] as const]
  })
  return Object.fromEntries(fitting)
}

/** Leaves out the mappings within a default that have another form than the integration says. */
function ofSameForm(value: unknown, given: unknown): unknown {
  if (!isMapping(value) || !isMapping(given)) return value
  const kept = Object.entries(value).filter(([key, inner]) => !isOtherForm(inner, given[key]))
  return Object.fromEntries(kept.map(([key, inner]) => [key, ofSameForm(inner, given[key])]))
}

function isOtherForm(value: unknown, given: unknown): boolean {
  if (!isMapping(value) || !isMapping(given)) return false
  return ['type', 'mode'].some((key) => key in value && key in given && value[key] !== given[key])
}

/**
 * Merges defaults that fit into an integration. What the integration says counts: mappings are merged key by
 * key, every other value replaces the default, and null switches the default off.
 */
export function withDefaults(integration: unknown, defaults: Mapping): unknown {
  return isMapping(integration) ? merged(integration, defaults) : integration
}

function merged(given: Mapping, defaults: Mapping): Mapping {
  const inherited = Object.entries(defaults).filter(([key]) => !Object.hasOwn(given, key))
  const own = Object.entries(given).flatMap(([key, value]) => {
    const preset = Object.hasOwn(defaults, key) ? defaults[key] : undefined
    if (value === null && preset !== undefined) return []
    return [[key, isMapping(value) && isMapping(preset) ? merged(value, preset) : value] as const]
  })
  return Object.fromEntries([...own, ...inherited])
}

/**
 * Returns true if a merged integration has the value at a path from its defaults.
 *
 * @param given the integration before it was merged
 */
export function isDefault(given: unknown, defaults: unknown, path: readonly PropertyKey[]): boolean {
  const [key, ...inner] = path
  if (key === undefined || !isMapping(given) || !isMapping(defaults)) return false
  if (!Object.hasOwn(defaults, key)) return false
  const name = String(key)
  return !Object.hasOwn(given, key) || isDefault(given[name], defaults[name], inner)
}
