import type { Content, CustomFields, CustomForm } from '../../sql/tables.ts'
import { readUrl, type Url } from '../rules/references.ts'
import {
  hasValue,
  isJsonObject,
  isWideNumber,
  type Json,
  type JsonObject,
  readText,
} from '../rules/values.ts'

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

/** A value of a custom field; null where there is none to send. */
export interface CustomValue {
  readonly value: Json
  readonly marks: readonly ('left_out' | 'unsupported_character')[]
}

const ABSENT: CustomValue = { value: null, marks: [] }
const LEFT_OUT: CustomValue = { value: null, marks: ['left_out'] }

/**
 * Follows a path of keys into a record.
 *
 * @param record with its keys as a path names them
 * @param keyed makes such an object of one that is in it
 * @returns undefined where something is there that has no keys: lists are never entered
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

/**
 * Reads what is at the end of a path. What is there and cannot be read so is `left_out`.
 *
 * @param value undefined where the path met something without keys
 */
function readCustom(value: Json | undefined, form: CustomForm): CustomValue {
  if (value === undefined) return LEFT_OUT
  if (!hasValue(value)) return ABSENT
  switch (form) {
    case 'flag':
      return typeof value === 'boolean' ? { value, marks: [] } : LEFT_OUT
    case 'list':
      return readList(value)
    case 'number':
      return readNumber(value)
    case 'url':
      return typeof value === 'string' ? ofText(readUrl(value)) : LEFT_OUT
    case 'text':
      return ofText(readText(value))
  }
}

function ofText({ value, mark }: Url): CustomValue {
  if (value !== null) return { value, marks: mark === 'unsupported_character' ? [mark] : [] }
  // Blank once a character was dropped that no text can hold.
  return mark === 'unsupported_character' || mark === null ? ABSENT : LEFT_OUT
}

/** A number by the grammar of JSON, its digits as written. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function readNumber(value: Json): CustomValue {
  const { value: digits, mark } = readText(value)
  if (digits === null) return ofText({ value: digits, mark })
  if (!NUMBER.test(digits) || isWideNumber(digits)) return LEFT_OUT
  return { value: JSON.rawJSON(digits), marks: mark === 'unsupported_character' ? [mark] : [] }
}

function readList(value: Json): CustomValue {
  if (isJsonObject(value) || typeof value === 'boolean') return LEFT_OUT
  const elements: readonly Json[] = Array.isArray(value) ? value : [value]
  const texts = new Set<string>()
  const marks = new Set<CustomValue['marks'][number]>()
  for (const element of elements) {
    const { value: text, mark } = readText(element)
    if (mark === 'not_text') marks.add('left_out')
    if (text === null || texts.has(text)) continue
    texts.add(text)
    if (mark === 'unsupported_character') marks.add(mark)
  }
  return { value: texts.size === 0 ? null : [...texts], marks: [...marks] }
}
