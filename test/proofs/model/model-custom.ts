import { isNumber, isObject, type Json, type JsonObject } from '../../harness/json.ts'
import type { CustomDefinition, CustomOptions, RuleOptions } from './custom-options.ts'
import type { Draft, Value } from './model-draft.ts'
import { readFlag } from './model-flags.ts'
import { listIn, type ValueOf } from './model-read.ts'
import { readText } from './model-text.ts'
import { readUrl } from './model-urls.ts'
import type { Content } from './options.ts'

interface Read {
  readonly value: Value | null
  readonly faults: readonly string[]
}

const ABSENT: Read = { value: null, faults: [] }
const LEFT_OUT: Read = { value: null, faults: ['left_out'] }

/** Source: pipeline/config/README.md#fields-of-your-own-and-what-is-left-out. */
export function withCustom(
  draft: Draft,
  content: Content,
  record: JsonObject,
  options: CustomOptions,
  memberOf: ValueOf,
): Draft {
  const fields: Record<string, Value> = { ...draft.fields }
  const marks = new Set(draft.marks)
  for (const [name, { from, as = 'text' }] of Object.entries(options[content] ?? {})) {
    const { value, faults } = readAt(record, from.split('.'), as, memberOf)
    if (value !== null) fields[`custom.${name}`] = value
    for (const fault of faults) marks.add(`${fault}:custom.${name}`)
  }
  return { ...draft, fields, marks }
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || (typeof value === 'string' && readText(value).text === null)
}

function readAt(
  record: JsonObject,
  path: readonly string[],
  as: NonNullable<CustomDefinition['as']>,
  memberOf: ValueOf,
): Read {
  let value: Json | undefined = record
  for (const key of path) {
    if (isNothing(value)) return ABSENT
    if (!isObject(value)) return LEFT_OUT
    value = memberOf(value, key)
  }
  if (isNothing(value)) return ABSENT
  return READ[as](value ?? null)
}

const READ: Readonly<Record<NonNullable<CustomDefinition['as']>, (value: Json) => Read>> = {
  text(value) {
    const { text, faults } = readText(value)
    return text === null ? LEFT_OUT : { value: text, faults }
  },
  url(value) {
    if (typeof value !== 'string') return LEFT_OUT
    const { url, faults } = readUrl(value)
    return url === null ? LEFT_OUT : { value: url, faults }
  },
  flag(value) {
    const flag = readFlag(value)
    return typeof flag === 'boolean' ? { value: flag, faults: [] } : LEFT_OUT
  },
  number(value) {
    const { text, faults } = readText(value)
    if (text === null || !/^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text)) return LEFT_OUT
    const exponent = Math.abs(Number(/[eE](.*)$/.exec(text)?.[1] ?? '0'))
    if (/[0-9]{1000}/.test(text) || exponent > 1000) return LEFT_OUT
    return { value: { digits: asNumeric(text) }, faults }
  },
  list(value) {
    const list = listIn(value)
    if (list === null && (typeof value === 'boolean' || isObject(value))) return LEFT_OUT
    const texts: string[] = []
    const faults = new Set<string>()
    for (const element of list ?? [value]) {
      if (isNothing(element)) continue
      const read = readText(element)
      if (read.text === null) faults.add('left_out')
      else if (!texts.includes(read.text)) {
        texts.push(read.text)
        for (const fault of read.faults) faults.add(fault)
      }
    }
    return { value: texts.length === 0 ? null : texts, faults: [...faults] }
  },
}

/** Formats a number as PostgreSQL prints a value of the type `numeric`. */
function asNumeric(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text) ?? []
  const shift = Number(exponent)
  const digits = whole + fraction
  const point = whole.length + shift
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const at = Math.max(point, 1)
  const before = padded.slice(0, at).replace(/^0+(?=[0-9])/, '')
  const after = padded.slice(at)
  const shown = after === '' ? before : `${before}.${after}`
  return sign === '-' && /[1-9]/.test(shown) ? `-${shown}` : shown
}

/** Returns the name of the first rule that excludes an item; null if no rule does. */
export function excludedBy(
  content: Content,
  uniqueId: string,
  fields: Readonly<Record<string, Value>>,
  rules: readonly RuleOptions[],
): string | null {
  const rule = rules.find(({ content: of, where, unless }) => {
    if (![of].flat().includes(content)) return false
    const matches = Object.entries(where ?? unless ?? {}).every(([field, condition]) =>
      isMatch(field === 'uniqueId' ? uniqueId : fields[field], condition),
    )
    return where === undefined ? !matches : matches
  })
  return rule?.name ?? null
}

type Plain = string | number | boolean

function isMatch(value: Value | undefined, condition: unknown): boolean {
  const given = Object(condition) as Readonly<Record<string, unknown>>
  if (typeof condition === 'object' && 'missing' in given) return (value === undefined) === given.missing
  if (value === undefined) return false
  const texts = textsOf(value)
  const wanted = (plain: unknown) =>
    [plain as Plain | readonly Plain[]].flat().map((one) => String(one).trim())
  const any = (plain: unknown, pattern: (escaped: string) => string) =>
    wanted(plain).some((one) => {
      // The flags `iu` ignore upper and lower case. Their Unicode case folding maps each character to a
      // single character.
      const found = new RegExp(pattern(RegExp.escape(one)), 'iu')
      return texts.some((text) => found.test(text))
    })
  if (typeof condition === 'object' && !Array.isArray(condition)) {
    if ('contains' in given) return any(given.contains, (one) => one)
    if ('startsWith' in given) return any(given.startsWith, (one) => `^${one}`)
    return any(given.endsWith, (one) => `${one}$`)
  }
  return any(condition, (one) => `^${one}$`)
}

function textsOf(value: Value): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'boolean') return [String(value)]
  return isNumber(value as Json)
    ? [(value as { readonly digits: string }).digits]
    : (value as readonly string[])
}
