import type { z } from 'zod'
import { counted } from '../../transforms/texts/counted.ts'
import { editDistance } from '../../transforms/texts/edit-distance.ts'

/** One mistake in the configuration, placed where a person would look for it. */
export interface ConfigProblem {
  /** Such as `integrations[0].source.url`; empty for the file as a whole. */
  readonly path: string
  readonly line: number
  readonly column: number
  /** A sentence; it quotes the value unless that is, or could be, a secret. */
  readonly message: string
}

/**
 * Describes what the user has to change: an argument, the configuration, a file, the state that earlier runs left; or what another
 * process has (`locked`), or the user broke off (`interrupted`).
 */
export type UserErrorCode = 'usage' | 'configuration' | 'file' | 'state' | 'locked' | 'interrupted'

/** A command cannot do what it was asked for, and the user can change that. No message holds what is, or could be, a secret. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  readonly code: UserErrorCode
  readonly what: string
  /** Says what to do, and what was not touched; empty if `what` says all. */
  readonly todo: string

  constructor(code: UserErrorCode, what: string, todo = '', options: { readonly cause?: unknown } = {}) {
    super(todo === '' ? what : `${what}; ${todo}`, options)
    this.code = code
    this.what = what
    this.todo = todo
  }
}

/** The database is older than its packs, what is kept out beside them, or its platform. */
export class BehindError extends UserError {
  override readonly name = 'BehindError'
  /** The command that goes on in spite of it. */
  readonly next: string

  constructor(what: string, todo: string, next: string) {
    super('state', what, `${todo}; platform untouched`)
    this.next = next
  }
}

interface ConfigErrorOptions {
  readonly problems?: readonly ConfigProblem[]
  readonly todo?: string
  readonly cause?: unknown
}

/** The configuration, or a secret that it refers to, cannot be used. */
export class ConfigError extends UserError {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(what: string, { problems = [], todo, ...options }: ConfigErrorOptions = {}) {
    super('configuration', what, todo, options)
    this.problems = problems
  }
}

/** In place of the name of a file: a configuration that a program passed as an object. */
export const GIVEN_CONFIG = 'the configuration'

/** All the mistakes of one file in one error, in their order in the file. */
export function toConfigError(file: string, problems: readonly ConfigProblem[]): ConfigError {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
  const isFile = file !== GIVEN_CONFIG
  const placeOf = ({ line, path }: ConfigProblem) =>
    [...(isFile ? [`line ${line}`] : []), ...(path === '' ? [] : [path])].join(', ')
  const lines = sorted.map((problem) => `  ${placeOf(problem)}: ${problem.message}`)
  const heading = `${file} has ${counted(sorted.length, 'error')}`
  const advice = `nothing was read or written; fix ${isFile ? 'the file' : 'it'} and run again`
  return new ConfigError([heading, ...lines, advice].join('\n'), { problems: sorted })
}

/** Describes what zod says of a mistake before it has a message for it. */
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
  if (issue.input === null) return 'has no value; give it one or remove the key'
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

/** Returns whether a key may be shown: `{apiKey:abc}`, with its blank forgotten, is a key that holds a secret. */
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
  if (beforeColon !== key && isPlainKey(beforeColon)) return `add a space after "${beforeColon}:"`
  const unknown = `unknown key; the keys here are ${known.join(', ')}`
  if (!isPlainKey(key)) return unknown
  const form = elsewhere.get(key)
  if (form !== undefined) return `belongs to ${form}; remove it, or use ${form}`
  const meant = nearest(key, known)
  return meant === undefined ? unknown : `unknown key; did you mean ${meant}?`
}

/** The word a typing mistake was probably meant to be: at most one edit for every three letters. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, edits: editDistance(simplified(word), simplified(candidate)) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.edits - b.edits)
  return best?.candidate
}

/** `event_id`, `event-id` and `EventID` are one word to someone who types. */
function simplified(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, '')
}
