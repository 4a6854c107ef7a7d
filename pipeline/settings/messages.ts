import type { z } from 'zod'

/** What zod says of a mistake before it has a message for it. */
export type RawIssue = z.core.$ZodRawIssue

const longestQuote = 80

/** A value as a message shows it: text in quotation marks, numbers bare, lists and mappings by their kind. */
export function quoted(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'a mapping'
  if (value === null || value === undefined) return 'nothing'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value)
}

/** `['a', 'b', 'c']` as `a, b or c`. */
export function oneOf(words: readonly unknown[]): string {
  const texts = words.map(String)
  const last = texts.at(-1) ?? ''
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} or ${last}`
}

/** The words for every mistake that the schema has no better words for. Mappings are never quoted. */
export function plainMessage(issue: RawIssue): string {
  if (issue.input === undefined) return 'is missing'
  if (issue.input === null) return 'has no value; give it one or take the key away'
  if (issue.code === 'invalid_union') return discriminatorMessage(issue)
  if (issue.code === 'invalid_value') return `must be ${oneOf(issue.values)}, got ${quoted(issue.input)}`
  if (issue.code !== 'invalid_type') return 'cannot be used'
  switch (issue.expected) {
    case 'object':
      return 'must be a mapping of keys and values'
    case 'array':
      return `must be a list, got ${quoted(issue.input)}`
    case 'boolean':
      return `must be true or false, got ${quoted(issue.input)}`
    default:
      return `must be text, got ${quoted(issue.input)}`
  }
}

function discriminatorMessage(issue: Extract<RawIssue, { code: 'invalid_union' }>): string {
  const { discriminator, options, input } = issue
  if (discriminator === undefined || !Array.isArray(options)) return 'must be text or a number'
  const value: unknown = Reflect.get(Object(input), discriminator)
  if (value === undefined) return `is missing; it must be ${oneOf(options)}`
  return `must be ${oneOf(options)}, got ${quoted(value)}`
}

const plainKey = /^[A-Za-z_][\w-]{0,40}$/

/** Whether a key may be shown: `{apiKey:abc}`, with its blank forgotten, is a key that holds a secret. */
export function isPlainKey(key: string): boolean {
  return plainKey.test(key)
}

/**
 * The words for a key that a mapping does not have.
 *
 * @param elsewhere keys of the mapping's other forms, with the form: `apiKey` -> `type: b`
 */
export function unknownKeyMessage(
  key: string,
  known: readonly string[],
  elsewhere: ReadonlyMap<string, string>,
): string {
  const beforeColon = key.split(':', 1)[0] ?? ''
  if (beforeColon !== key && isPlainKey(beforeColon)) return `a blank is due after "${beforeColon}:"`
  const unknown = `unknown key; known here: ${known.join(', ')}`
  if (!isPlainKey(key)) return unknown
  const form = elsewhere.get(key)
  if (form !== undefined) return `belongs to ${form}, which this is not`
  const meant = nearest(key, known)
  return meant === undefined ? unknown : `unknown key; did you mean ${meant}?`
}

/** The word a typing mistake was probably meant to be: at most one edit for every three letters. */
function nearest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, edits: editDistance(simplified(word), simplified(candidate)) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.edits - b.edits)
  return best?.candidate
}

/** `event_id`, `event-id` and `EventID` are one word to somebody who types. */
function simplified(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, '')
}

/** Levenshtein's distance. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...to].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
