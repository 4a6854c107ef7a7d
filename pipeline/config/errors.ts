/** One mistake in the configuration, placed where a person would look for it. */
export interface ConfigProblem {
  /** Such as `integrations[0].source.url`; empty for the file as a whole. */
  readonly path: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
  /** A sentence; it quotes the value unless that is, or could be, a secret. */
  readonly message: string
}

/**
 * The configuration, or a secret that it refers to, cannot be used. Nothing was done because of it.
 *
 * The message never holds a secret, nor what stands where a secret belongs.
 * Source: design 6 (exit code 64) and 7.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly exitCode = 64
  readonly retryable = false
  readonly problems: readonly ConfigProblem[]

  constructor(message: string, options: { problems?: readonly ConfigProblem[]; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.problems = options.problems ?? []
  }
}

/** All the mistakes of one file in one error, in the order in which they stand there. */
export function toConfigError(file: string, problems: readonly ConfigProblem[]): ConfigError {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
  const lines = sorted.map(({ line, path, message }) =>
    path === '' ? `  line ${line}: ${message}` : `  line ${line}, ${path}: ${message}`,
  )
  const count = sorted.length === 1 ? '1 error' : `${sorted.length} errors`
  const message = [
    `${file} has ${count}`,
    ...lines,
    'nothing was read or written; mend the file and run again',
  ].join('\n')
  return new ConfigError(message, { problems: sorted })
}
