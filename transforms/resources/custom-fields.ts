import type { Content, CustomFields } from '../../sql/tables.ts'
import { type CustomValue, readCustom, valueAtPath } from '../rules/custom-value.ts'
import type { Json, JsonObject } from '../rules/json.ts'

export interface CustomValues {
  /** JSON by content and name; null where there is nothing. */
  readonly value: string | null
  /** As `mark:content.custom.name`. */
  readonly marks: readonly string[]
}

interface Keys {
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

/** Name of a custom field beside the names of platform fields. */
export function platformName(name: string): string {
  return `custom.${name}`
}

/** Names of the custom fields of a content beside the names of platform fields, in byte order. */
export function customNames(fields: CustomFields, content: Content): readonly string[] {
  return Object.keys(fields[content] ?? {})
    .sort()
    .map(platformName)
}

/** Makes the function that reads the custom fields of a record whose keys are as its source compares them. */
export function customReader(
  fields: CustomFields,
  contents: readonly Content[],
  { keyOf, prepare }: Keys,
): (prepared: JsonObject) => CustomValues {
  const all = contents.flatMap((content) =>
    Object.values(fields[content] ?? {}).map(({ name, from, as }) => ({
      content,
      name,
      from,
      as,
      path: from.split('.').map(keyOf),
    })),
  )
  return (prepared) => {
    const values: { [Of in Content]?: { [name: string]: Json } } = {}
    const found: string[] = []
    const keyed = oncePerObject(prepare)
    const read = new Map<string, CustomValue>()
    for (const { content, name, from, path, as } of all) {
      // What two contents take from one place, such as a long list, is read once.
      const place = `${as} ${from}`
      const one = read.get(place) ?? readCustom(valueAtPath(prepared, path, keyed), as)
      read.set(place, one)
      const { value, marks } = one
      if (value !== null) values[content] = { ...values[content], [name]: value }
      for (const mark of marks) found.push(`${mark}:${stagedName(content, name)}`)
    }
    return { value: Object.keys(values).length === 0 ? null : JSON.stringify(values), marks: found }
  }
}

/** Many paths may lead through one object, which may have as many keys as a record holds. */
function oncePerObject(prepare: Keys['prepare']): Keys['prepare'] {
  const known = new Map<JsonObject, JsonObject>()
  return (object) => {
    const prepared = known.get(object) ?? prepare(object)
    known.set(object, prepared)
    return prepared
  }
}
