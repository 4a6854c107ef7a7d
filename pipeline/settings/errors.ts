import type { z } from 'zod'
import { counted } from '../../transforms/texts/counted.ts'
import { nearest } from '../../transforms/texts/nearest.ts'

/** A position in a file. Lines and columns are counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** One mistake in the configuration, and the position where a user would look for it. */
export interface ConfigProblem extends Position {
  /** Path of the file from the working directory, or `GIVEN_CONFIG`. */
  readonly file: string
  /**
   * Path of the key in its file, for example `integrations[0].source.url`. The path is empty if the mistake
   * concerns the whole file.
   */
  readonly path: string
  /**
   * The message describes the mistake in a sentence. The message quotes the value, except if the value is or
   * could be a secret.
   */
  readonly message: string
}

/**
 * Kind of an error that a user can correct. What the user must change: an argument (`usage`), the
 * configuration, a file, or the state that earlier runs have left (`state`). `locked` means that another
 * process holds the lock of the integration or of the database. `interrupted` means that the user has stopped
 * the command.
 */
export type UserErrorCode = 'usage' | 'configuration' | 'file' | 'state' | 'locked' | 'interrupted'

/**
 * Error of a command that cannot do its work for a reason that the user can change. The message contains
 * nothing that is a secret or could be a secret.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  readonly code: UserErrorCode
  readonly what: string
  /** Advice for the user, and what was not changed. The text is empty if `what` says enough. */
  readonly todo: string

  constructor(code: UserErrorCode, what: string, todo = '', options: { readonly cause?: unknown } = {}) {
    super(todo === '' ? what : `${what}; ${todo}`, options)
    this.code = code
    this.what = what
    this.todo = todo
  }
}

/** Error for a database that is older than its packs, the suppressions beside the packs, or the platform. */
export class BehindError extends UserError {
  override readonly name = 'BehindError'
  /** The command that continues although the database is older. */
  readonly next: string

  constructor(what: string, todo: string, next: string) {
    super('state', what, `${todo}; platform untouched`)
    this.next = next
  }
}

/**
 * The error for an integration that was renamed, or whose ids in the database and in the configuration
 * differ.
 */
export class RenamedError extends UserError {
  override readonly name = 'RenamedError'
  /** The command to run next. */
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

/** Error for a configuration, or a secret to which it refers, that cannot be used. */
export class ConfigError extends UserError {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(what: string, { problems = [], todo, ...options }: ConfigErrorOptions = {}) {
    super('configuration', what, todo, options)
    this.problems = problems
  }
}

/** Text for messages instead of a file name, if a program passed the configuration as an object. */
export const GIVEN_CONFIG = 'the configuration'

/**
 * Combines all mistakes of a configuration into one error, in the order of its files.
 *
 * @param main event-sync.yaml, or the file that option -c names; its mistakes come first
 */
export function toConfigError(main: string, problems: readonly ConfigProblem[]): ConfigError {
  const rank = ({ file }: ConfigProblem) => (file === main ? '' : file)
  const sorted = problems.toSorted(
    (a, b) => compareTexts(rank(a), rank(b)) || a.line - b.line || a.column - b.column,
  )
  const files = [...new Set(sorted.map(({ file }) => file))]
  const [first = main, ...others] = files
  const errors = counted(sorted.length, 'error')
  const heading =
    others.length === 0 ? `${first} has ${errors}` : `${GIVEN_CONFIG} has ${errors} in ${files.length} files`
  const wrong = others.length > 0 ? 'the files' : first === GIVEN_CONFIG ? 'it' : 'the file'
  const advice = `nothing was read or written; fix ${wrong} and run again`
  return new ConfigError([heading, ...sorted.map(toLine), advice].join('\n'), { problems: sorted })
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/**
 * Formats a mistake as a line that begins with `FILE:LINE:COLUMN`. Terminals and editors can open this
 * position.
 */
function toLine({ file, line, column, path, message }: ConfigProblem): string {
  const place = file === GIVEN_CONFIG ? [] : [`${file}:${line}:${column}`]
  return `  ${[...place, ...(path === '' ? [] : [path]), message].join(': ')}`
}

/** Formats a path: `['integrations', 0, 'id']` becomes `integrations[0].id`. */
export function pathText(path: readonly PropertyKey[]): string {
  const segments = path.map((one) => (typeof one === 'number' ? `[${one}]` : `.${String(one)}`))
  return segments.join('').replace(/^\./, '')
}

/** A mistake as zod reports it, before it has a message. */
export type RawIssue = z.core.$ZodRawIssue

const longestQuote = 80

/**
 * Formats a value for a message. A text is in quotation marks, a number is not. For a list or mapping, only
 * its kind is shown.
 */
export function quoted(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'a mapping'
  if (value === null || value === undefined) return 'nothing'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value)
}

/** Joins words: `['a', 'b', 'c']` becomes `a, b or c`. */
export function oneOf(words: readonly unknown[]): string {
  const texts = words.map(String)
  const last = texts.at(-1) ?? ''
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} or ${last}`
}

/**
 * Returns the general message for a mistake, for which the schema has no specific message. The message never
 * shows the content of a mapping.
 */
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

/**
 * Returns true if a key may be shown in messages. If a user forgets the space in `{apiKey:abc}`, the key
 * contains the secret.
 */
export function isPlainKey(key: string): boolean {
  return plainKey.test(key)
}

/**
 * Returns the message for an unknown key in a mapping.
 *
 * @param elsewhere keys of the other forms of the mapping, each with its form, for example `apiKey` -> `type:
 *   b`
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
