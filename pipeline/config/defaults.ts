/**
 * The rules by which the values of key `defaults` in event-sync.yaml are merged into each integration. The
 * rules work on values that are not yet checked. The merged integration is checked like an integration
 * without defaults.
 */

import { isMapping, type Mapping } from '../settings/yaml.ts'

/** Keys of an integration that cannot be in `defaults`, because each integration has its own value. */
export const KEYS_WITHOUT_DEFAULT: ReadonlySet<string> = new Set(['id', 'name'])

/**
 * Keys of an integration whose value has several forms. The key `type` or `mode` in the value tells the forms
 * apart.
 */
const KEYS_WITH_FORMS: ReadonlySet<string> = new Set(['source', 'platform', 'passwords'])

/**
 * Returns the part of `defaults` that can be merged. The part that cannot be merged is reported by the reader
 * of the file.
 */
export function usableDefaults(defaults: unknown): Mapping {
  const entries = isMapping(defaults) ? Object.entries(defaults) : []
  return Object.fromEntries(entries.filter(([key]) => !KEYS_WITHOUT_DEFAULT.has(key)))
}

/**
 * Returns the defaults that can be merged into an integration. A default for another form of a mapping is
 * left out. For example, defaults of `source: {type: a}` do not fit an integration with `source: {type: b}`.
 */
export function fittingDefaults(defaults: Mapping, integration: unknown): Mapping {
  return isMapping(integration) ? ofSameForm(defaults, integration, KEYS_WITH_FORMS) : defaults
}

/**
 * Removes mappings from a default if they have another form than the same mapping in the integration. If there
 * are none, returns the default itself: nearly all of thousands of integrations have the form of the default.
 *
 * @param keys only the values of these keys are looked at
 */
function ofSameForm(preset: Mapping, given: Mapping, keys: Iterable<string> = Object.keys(given)): Mapping {
  let fitting = preset
  for (const key of keys) {
    const [value, own] = [preset[key], given[key]]
    if (!Object.hasOwn(preset, key) || !isMapping(value) || !isMapping(own)) continue
    if (isOtherForm(value, own)) fitting = without(key, fitting)
    else {
      const inner = ofSameForm(value, own)
      if (inner !== value) fitting = { ...fitting, [key]: inner }
    }
  }
  return fitting
}

function isOtherForm(value: Mapping, given: Mapping): boolean {
  return differs(value.type, given.type) || differs(value.mode, given.mode)
}

function differs(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && one !== other
}

/**
 * Merges defaults into an integration. A value in the integration takes precedence over the default. Mappings
 * are merged key by key, any other value replaces the default, and null switches the default off.
 */
export function withDefaults(integration: unknown, defaults: Mapping): unknown {
  const hasDefaults = isMapping(integration) && Object.keys(defaults).length > 0
  return hasDefaults ? merged(integration, defaults) : integration
}

function merged(given: Mapping, defaults: Mapping): Mapping {
  const all: Record<string, unknown> = { ...given }
  for (const [key, preset] of Object.entries(defaults)) {
    const own = given[key]
    if (!Object.hasOwn(given, key)) all[key] = preset
    else if (own === null) delete all[key]
    else if (isMapping(own) && isMapping(preset)) all[key] = merged(own, preset)
  }
  return all
}

function without(key: string, mapping: Mapping): Mapping {
  return Object.fromEntries(Object.entries(mapping).filter(([name]) => name !== key))
}

/**
 * Returns true if the value at a path of a merged integration is a default.
 *
 * @param given the integration before the merge
 */
export function isDefault(given: unknown, defaults: unknown, path: readonly PropertyKey[]): boolean {
  const [key, ...inner] = path
  if (key === undefined || !isMapping(given) || !isMapping(defaults)) return false
  if (!Object.hasOwn(defaults, key)) return false
  const name = String(key)
  return !Object.hasOwn(given, key) || isDefault(given[name], defaults[name], inner)
}
