import type { CustomForm } from '../../sql/tables.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { hasValue } from './keys.ts'
import { isWideNumber } from './numbers.ts'
import { readText } from './text.ts'
import { readUrl, type Url } from './urls.ts'

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
export function valueAtPath(
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
export function readCustom(value: Json | undefined, form: CustomForm): CustomValue {
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
