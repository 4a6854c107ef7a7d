import type { Content, Fields, FieldValue } from '../../sql/tables.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { readText } from './text.ts'

const OWN_ID = 'attendeeId'

/** Takes the values of one person out of items; what is said of each value is the same wherever it stood. */
export interface Redaction {
  ofPerson(content: Content, fields: Fields): Fields
  /** Fields of an item that may name the person. */
  ofOther(fields: Fields): Fields
  /** Fields of an item whose record lost texts with the person: custom fields may have been read from there. */
  ofReduced(content: Content, fields: Fields, lost: ReadonlySet<string>): Fields
}

/**
 * Puts `forgotten` in place of values, and tokens in place of ids. Different values of one field stay different
 * (`forgotten`, `forgotten 2`), so that what runs changed remains a change, and what they left is still what they sent.
 */
export function makeRedaction(tokens: Pick<ReadonlyMap<string, string>, 'get'>): Redaction {
  const seen = new Map<string, Map<string, string>>()

  function placeholder(of: string, value: Fields[string]): string {
    const values = seen.get(of) ?? new Map<string, string>()
    seen.set(of, values)
    const key = JSON.stringify(value)
    const known = values.get(key)
    if (known !== undefined) return known
    const made = values.size === 0 ? 'forgotten' : `forgotten ${values.size + 1}`
    values.set(key, made)
    return made
  }

  function hidden(of: string, value: FieldValue): FieldValue {
    const text = placeholder(of, value)
    return Array.isArray(value) ? [text] : text
  }

  return {
    ofPerson: (content, fields) =>
      mapFields(fields, (name, value) => {
        if (name === OWN_ID && typeof value === 'string') return tokens.get(value) ?? value
        if (name !== 'custom') return hidden(`${content}.${name}`, value as FieldValue)
        return Object.fromEntries(
          Object.entries(value as Readonly<Record<string, FieldValue>>).map(([own, inner]) => [
            own,
            hidden(`${content}.custom.${own}`, inner),
          ]),
        )
      }),
    ofOther: (fields) =>
      mapFields(fields, (name, value) =>
        name === 'speakerIds' && Array.isArray(value)
          ? value.map((id: string) => tokens.get(id) ?? id)
          : value,
      ),
    ofReduced: (content, fields, lost) =>
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

/** Texts that a record had and has no more, as fields are read from it. */
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

/** A value with tokens in place of ids, wherever one of them is the whole of a text, a number or a key. */
export function replaceIds(value: Json, tokenOf: (id: string) => string | undefined): Json {
  if (Array.isArray(value)) return value.map((element: Json) => replaceIds(element, tokenOf))
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, inner]) => [
      tokenOf(key) ?? key,
      replaceIds(inner, tokenOf),
    ])
    return Object.fromEntries(members)
  }
  const { value: id } = readText(value)
  return (id === null ? undefined : tokenOf(id)) ?? value
}

function mapFields(fields: Fields, map: (name: string, value: Fields[string]) => Fields[string]): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(name, value)]))
}
