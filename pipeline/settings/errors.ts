import { counted } from '../../transforms/guards/guard-finding.ts'

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
 * What the user has to change: an argument, the configuration, a file, the state that earlier runs left; or what another
 * process has (`locked`), or the user broke off (`interrupted`).
 */
export type UserErrorCode = 'usage' | 'configuration' | 'file' | 'state' | 'locked' | 'interrupted'

/** A command cannot do what it was asked for, and the user can change that. No message holds what is, or could be, a secret. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  readonly code: UserErrorCode
  readonly what: string
  /** What to do, and what was not touched; empty where `what` says all. */
  readonly todo: string

  constructor(code: UserErrorCode, what: string, todo = '', options: { readonly cause?: unknown } = {}) {
    super(todo === '' ? what : `${what}; ${todo}`, options)
    this.code = code
    this.what = what
    this.todo = todo
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

/** All the mistakes of one file in one error, in their order in the file. */
export function toConfigError(file: string, problems: readonly ConfigProblem[]): ConfigError {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
  const lines = sorted.map(
    ({ line, path, message }) => `  line ${line}${path === '' ? '' : `, ${path}`}: ${message}`,
  )
  const heading = `${file} has ${counted(sorted.length, 'error')}`
  const advice = 'nothing was read or written; fix the file and run again'
  return new ConfigError([heading, ...lines, advice].join('\n'), { problems: sorted })
}
