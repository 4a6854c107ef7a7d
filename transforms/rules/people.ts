import type { Content, Fields, FieldValue } from '../../sql/tables.ts'
import { namesPeople } from './platform.ts'
import {
  isJsonObject,
  isNumbered,
  type Json,
  type JsonObject,
  parseListOrObject,
  readText,
} from './values.ts'

/**
 * Recognises ids and e-mail addresses of forgotten people by hashes. The ids and addresses themselves are not
 * stored.
 */
export interface ForgottenLookup {
  isId(id: string): boolean
  isAddress(address: string): boolean
}

/** Finds forgotten people in records of one source, at any depth of the JSON. */
export interface SuppressionFilter {
  /** Returns true if a person's record has the id or the address of a forgotten person. */
  isForgotten(record: Json): boolean
  /** Returns true if a staged id, which a source may compute, belongs to a forgotten person. */
  isForgottenId(sourceId: string): boolean
  /**
   * Returns a record without the parts about forgotten people. If the record has no part about forgotten
   * people, the record itself is returned.
   */
  withoutPeople(record: Json): Json
}

/** The JSON keys under which a source stores people in its records. */
export interface PeopleKeys {
  readonly ids: ReadonlySet<string>
  readonly lists: ReadonlySet<string>
  readonly addresses: ReadonlySet<string>
  readonly foldsKeys: boolean
}

/**
 * Makes the filter that finds forgotten people in records of one source. The e-mail address of a forgotten
 * person identifies the person anywhere in a record. The id of a forgotten person identifies the person only
 * in a list of people. Outside a list of people, another record may have the same id.
 */
export function makeSuppressionFilter(
  { ids, lists, addresses, foldsKeys }: PeopleKeys,
  forgotten: ForgottenLookup,
): SuppressionFilter {
  const fold = (key: string) => (foldsKeys ? key.toLowerCase() : key)
  const isId = (value: Json | undefined) => {
    const { value: id } = readText(value)
    return id !== null && forgotten.isId(id)
  }
  const hasAddress = (object: JsonObject) =>
    Object.keys(object).some((key) => {
      if (!addresses.has(fold(key))) return false
      const { value } = readText(object[key])
      return value !== null && forgotten.isAddress(value)
    })
  const hasId = (object: JsonObject) =>
    Object.keys(object).some((key) => ids.has(fold(key)) && isId(object[key]))
  const isNamed = (element: Json, isPeople: boolean) =>
    isJsonObject(element)
      ? hasAddress(element) || (isPeople && hasId(element))
      : isPeople && !Array.isArray(element) && isId(element)

  function valueWithout(value: Json, isPeople: boolean): Json {
    if (Array.isArray(value)) {
      const kept = value.filter((element: Json) => !isNamed(element, isPeople))
      const inner = kept.map((element: Json) => (isJsonObject(element) ? objectWithout(element) : element))
      const isSame = kept.length === value.length && inner.every((element, index) => element === value[index])
      return isSame ? value : inner
    }
    if (isJsonObject(value)) {
      if (isPeople && isNumbered(value)) return numberedWithout(value)
      return isNamed(value, isPeople) ? null : objectWithout(value)
    }
    if (isPeople && typeof value === 'string') {
      const parsed = parseListOrObject(value)
      if (parsed !== null) {
        const kept = valueWithout(parsed, isPeople)
        return kept === parsed ? value : JSON.stringify(kept)
      }
      const named = value.split(',')
      const kept = named.filter((id) => !isId(id))
      return kept.length === named.length ? value : kept.join(',')
    }
    return isNamed(value, isPeople) ? null : value
  }

  /**
   * Removes forgotten people from a list that is written as an object, with positions as keys. The elements
   * that remain keep their positions.
   */
  function numberedWithout(list: JsonObject): JsonObject {
    const kept = Object.entries(list).filter(([, element]) => !isNamed(element, true))
    const isSame = kept.length === Object.keys(list).length
    return objectWithout(isSame ? list : Object.fromEntries(kept))
  }

  function objectWithout(object: JsonObject): JsonObject {
    let isSame = true
    const members = Object.entries(object).map(([key, value]) => {
      const kept = valueWithout(value, lists.has(fold(key)))
      if (kept !== value) isSame = false
      return [key, kept] as const
    })
    return isSame ? object : Object.fromEntries(members)
  }

  return {
    isForgotten: (record) => isJsonObject(record) && (hasAddress(record) || hasId(record)),
    isForgottenId: (sourceId) => forgotten.isId(sourceId),
    withoutPeople: (record) => (isJsonObject(record) ? objectWithout(record) : record),
  }
}

/**
 * Replaces personal values of forgotten people in items. Equal values of a field get the same placeholder.
 */
export interface Redaction {
  /** Redacts an item that belongs to a forgotten person. */
  ofPerson(content: Content, fields: Fields): Fields
  /** Redacts another item, which may name a forgotten person. */
  ofOther(fields: Fields): Fields
  /**
   * Redacts the custom fields of an item after texts were erased from the item's record, because the fields
   * may repeat these texts.
   */
  ofOtherWithout(content: Content, fields: Fields, lost: ReadonlySet<string>): Fields
}

/**
 * Makes a redaction that replaces values with the word `forgotten`, and ids with tokens. Different values of
 * a field get different placeholders (`forgotten`, `forgotten 2`). The history therefore still shows which
 * runs changed the field.
 */
export function makeRedaction(tokens: Pick<ReadonlyMap<string, string>, 'get'>): Redaction {
  const seen = new Map<string, Map<string, string>>()

  function placeholder(of: string, value: Fields[string]): string {
    const values = seen.get(of) ?? new Map<string, string>()
    seen.set(of, values)
    const key = JSON.stringify(value)
    const given = values.get(key)
    if (given !== undefined) return given
    const made = values.size === 0 ? 'forgotten' : `forgotten ${values.size + 1}`
    values.set(key, made)
    return made
  }

  /** Replaces the ids of forgotten people with their tokens; all other ids stay. */
  function mapped(value: Fields[string]): Fields[string] {
    if (typeof value === 'string') return tokens.get(value) ?? value
    return Array.isArray(value) ? value.map((id: string) => tokens.get(id) ?? id) : value
  }

  function hidden(of: string, value: FieldValue): FieldValue {
    const text = placeholder(of, value)
    return Array.isArray(value) ? [text] : text
  }

  return {
    ofPerson: (content, fields) =>
      mapFields(fields, (name, value) => {
        if (namesPeople(content, name)) return mapped(value)
        if (name !== 'custom') return hidden(`${content}.${name}`, value as FieldValue)
        return Object.fromEntries(
          Object.entries(value as Readonly<Record<string, FieldValue>>).map(([own, inner]) => [
            own,
            hidden(`${content}.custom.${own}`, inner),
          ]),
        )
      }),
    ofOther: (fields) =>
      mapFields(fields, (name, value) => (namesPeople('agenda', name) ? mapped(value) : value)),
    ofOtherWithout: (content, fields, lost) =>
      mapFields(fields, (name, value) => {
        if (name !== 'custom') return value
        return Object.fromEntries(
          Object.entries(value as Readonly<Record<string, FieldValue>>).map(([own, inner]) => {
            const kept = <Value extends FieldValue>(one: Value): Value | string => {
              const text = readText(one).value
              if (text === null || !lost.has(text)) return one
              return tokens.get(text) ?? placeholder(`${content}.custom.${own}`, text)
            }
            return [own, Array.isArray(inner) ? inner.map((one: string) => kept(one)) : kept(inner)]
          }),
        )
      }),
  }
}

/**
 * Returns the texts that the record had before and has no longer. The texts are in the form that the text
 * rule gives them.
 */
export function textsLost(before: Json, after: Json): ReadonlySet<string> {
  const kept = new Set(textsIn(after))
  return new Set([...textsIn(before)].filter((text) => !kept.has(text)))
}

function* textsIn(value: Json): Generator<string> {
  if (Array.isArray(value) || isJsonObject(value)) {
    for (const inner of Object.values<Json>(value as JsonObject)) yield* textsIn(inner)
    return
  }
  const { value: text } = readText(value)
  if (text !== null) yield text
}

/**
 * Makes a function that replaces ids with tokens in a record. The function replaces an id that is a whole
 * text, number or key. The function also replaces an id that is a word in a longer text or key.
 *
 * @param kept texts in which the function replaces no word
 */
export function makeIdReplacement(
  tokens: ReadonlyMap<string, string>,
  kept: ReadonlySet<string> = new Set(),
): (value: Json) => Json {
  if (tokens.size === 0) return (value) => value
  const tokenOf = new Map([...tokens].flatMap(([id, token]) => writtenForms(id).map((form) => [form, token])))
  const forms = [...tokenOf.keys()].sort((one, other) => other.length - one.length)
  const words = new RegExp(
    `${BEFORE_WORD}(?:${forms.map((form) => RegExp.escape(form)).join('|')})${AFTER_WORD}`,
    'gu',
  )
  const inText = (text: string) =>
    tokens.get(text.trim()) ??
    (kept.has(text.trim()) ? text : text.replace(words, (form) => tokenOf.get(form) ?? form))
  return function replaced(value: Json): Json {
    if (Array.isArray(value)) return value.map(replaced)
    if (isJsonObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [inText(key), replaced(inner)]))
    if (typeof value === 'string') return inText(value)
    const { value: digits } = readText(value)
    return (digits === null ? undefined : tokens.get(digits)) ?? value
  }
}

/** Returns a text in its plain form and in the encoded forms that it can have in a URL. */
export function writtenForms(text: string): readonly string[] {
  return [...new Set([text, encodeURIComponent(text), encodeURI(text)])]
}

// A text in a record is only a part of a longer id if a letter or digit is next to the text, or a hyphen with
// a letter or digit. A part of a longer id is not treated as an id. A text is a part of a number or a time if
// a dot or colon with a digit is next to it. The beginning `Id-` is an exception to the rule about hyphens:
// an id follows it, as in tokens of OData.
const BEFORE_WORD = String.raw`(?:(?<=%[0-9A-Fa-f]{2}|\b[Ii]d-)|(?<![\p{L}\p{N}_%]|[\p{L}\p{N}_]-|\p{N}[.:](?=\p{N})))`
const AFTER_WORD = String.raw`(?![\p{L}\p{N}_]|-[\p{L}\p{N}_]|(?<=\p{N})[.:]\p{N})`

function mapFields(fields: Fields, map: (name: string, value: Fields[string]) => Fields[string]): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(name, value)]))
}

/**
 * URL parameters that this product itself sets in requests. The product's own parameters contain no values of
 * records, so their values need not be removed.
 */
const OWN_PARAMETERS: ReadonlySet<string> = new Set([
  '$expand',
  '$orderby',
  '$skip',
  '$top',
  'event_id',
  'fields',
  'page',
  'per-page',
  'sort',
])

/**
 * Returns a request's address (URL) in the form that is stored. The function removes values of parameters
 * that the source added, and e-mail addresses in the path. The values and addresses are removed because a
 * link to the next page may contain a person's id or e-mail address.
 */
export function recordedAddress(address: string): string {
  const url = new URL(address)
  const path = url.pathname
    .split('/')
    .map((part) => (/@|%40/.test(part) ? 'omitted' : part))
    .join('/')
  if (url.search === '') return `${url.origin}${path}`
  const parts = url.search.slice(1).split('&').map(recordedParameter)
  return `${url.origin}${path}?${parts.join('&')}`
}

function recordedParameter(text: string): string {
  const [name = ''] = [...new URLSearchParams(text).keys()]
  if (OWN_PARAMETERS.has(name)) return text
  return /^\$?\w+$/.test(name) && text.includes('=') ? `${name}=omitted` : 'omitted'
}
