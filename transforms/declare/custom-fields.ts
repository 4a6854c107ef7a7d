import type { Content, CustomFields } from '../../sql/tables.ts'
import { hasValue, isJsonObject, type Json, type JsonObject } from '../rules/values.ts'
import { ABSENT, type CustomValue, type Form, formOf, LEFT_OUT } from './forms.ts'

export interface CustomValues {
  /** JSON object of the custom fields, by content and name; null if no field has a value. */
  readonly value: string | null
  /** Warnings about custom fields, in the form `warning:content.custom.name`. */
  readonly warnings: readonly string[]
}

export const NO_CUSTOM: CustomValues = { value: null, warnings: [] }

interface KeyRules {
  readonly keyOf: (key: string) => string
  readonly prepare: (object: JsonObject) => JsonObject
}

export const CUSTOM_COLUMN = 'custom'

export function stagedName(content: string, name: string): string {
  return `${content}.${platformName(name)}`
}

export function isStagedName(name: string): boolean {
  return name.includes('.custom.')
}

/** Returns the name of a custom field in lists that also contain platform fields. */
export function platformName(name: string): string {
  return `custom.${name}`
}

/**
 * Returns the names of a content's custom fields in lists that also contain platform fields. The names of
 * custom fields are sorted by bytes.
 */
export function customNames(fields: CustomFields, content: Content): readonly string[] {
  return Object.keys(fields[content] ?? {})
    .sort()
    .map(platformName)
}

/**
 * Makes the function that reads custom fields from a record. `prepare` must have prepared the record before.
 */
export function customReader(
  fields: CustomFields,
  contents: readonly Content[],
  { keyOf, prepare }: KeyRules,
): (prepared: JsonObject) => CustomValues {
  const all = contents.flatMap((content) =>
    Object.values(fields[content] ?? {}).map(({ name, from, as }) => ({
      content,
      name,
      from,
      as,
      form: formOf(as),
      path: from.split('.').map(keyOf),
    })),
  )
  return (prepared) => {
    const values: { [Of in Content]?: { [name: string]: Json } } = {}
    const found: string[] = []
    const keyed = oncePerObject(prepare)
    const read = new Map<string, CustomValue>()
    for (const { content, name, from, path, as, form } of all) {
      // If two contents use the same value, such as a long list, the value is read only once.
      const key = `${as} ${from}`
      const one = read.get(key) ?? readCustom(valueAtPath(prepared, path, keyed), form)
      read.set(key, one)
      const { value, warnings } = one
      if (value !== null) values[content] = { ...values[content], [name]: value }
      for (const warning of warnings) found.push(`${warning}:${stagedName(content, name)}`)
    }
    return { value: Object.keys(values).length === 0 ? null : JSON.stringify(values), warnings: found }
  }
}

/**
 * Prepares each object only once. Preparing an object for each path would take very long if many paths lead
 * through one object with very many keys.
 */
function oncePerObject(prepare: KeyRules['prepare']): KeyRules['prepare'] {
  const known = new Map<JsonObject, JsonObject>()
  return (object) => {
    const prepared = known.get(object) ?? prepare(object)
    known.set(object, prepared)
    return prepared
  }
}

/**
 * Finds the value in a record to which a path of keys leads.
 *
 * @param record a prepared record
 * @param keyed function that prepares an object inside the record
 * @returns undefined if the path meets a value that is not an object, such as a list
 */
function valueAtPath(
  record: JsonObject,
  path: readonly string[],
  keyed: (object: JsonObject) => JsonObject,
): Json | undefined {
  let value: Json = record
  for (const key of path) {
    if (!isJsonObject(value)) return hasValue(value) ? undefined : null
    const object: JsonObject = value === record ? record : keyed(value)
    value = Object.hasOwn(object, key) ? (object[key] ?? null) : null
  }
  return value
}

/** @param value undefined if the path leads through a value that is not an object */
function readCustom(value: Json | undefined, { read }: Form): CustomValue {
  if (value === undefined) return LEFT_OUT
  return hasValue(value) ? read(value) : ABSENT
}
