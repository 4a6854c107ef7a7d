/**
 * A read that failed: the source did not answer, or answered something that is not what was asked for.
 *
 * Never "zero records". The message names neither credentials nor values of records.
 */
export class ReadError extends Error {
  override readonly name = 'ReadError'
  /** Whether asking again may help. */
  readonly retryable: boolean

  constructor(
    message: string,
    { retryable = false, cause }: { readonly retryable?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.retryable = retryable
  }
}
