/** What the pipeline takes from the machine, so that tests can give their own. */
export interface Environment {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds by a clock that nobody sets, for how long something takes. */
  monotonic(): number
  /** Resolves early where the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** From 0 up to, not including, 1. */
  random(): number
  randomBytes(count: number): Uint8Array
  /** From 0 up to, not including, the limit; fit for secrets. */
  randomInt(limit: number): number
  /** Who runs the command, for the ledger. */
  readonly user: string
}
