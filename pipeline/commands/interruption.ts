/** Exit codes of a command that a signal ended, as a shell reports them. */
export const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/** A terminal and the process that started us may both pass on one and the same Ctrl-C. */
const SAME_SIGNAL_MS = 1_000

type End = (code: number) => void

/** How a command takes part in its process's end. */
export interface Signals {
  /** Lets a command end in its own way at the first signal; a second one ends it at once all the same. */
  onFirst(end: End): void
  /** Ends the process with what it has under way. */
  endAtOnce(code: number): void
}

/** Ends the process at a signal, at once unless a command asks otherwise. */
export function installSignalHandlers(): Signals {
  // What was applied is recorded and what was not is finished by the next run, so stopping at once is safe.
  const endAtOnce: End = (code) => process.exit(code)
  let end = endAtOnce
  let endedAtMs: number | null = null
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      const now = performance.now()
      if (endedAtMs !== null && now - endedAtMs < SAME_SIGNAL_MS) return
      const isFirst = endedAtMs === null
      endedAtMs = now
      if (isFirst) end(code)
      else endAtOnce(code)
    })
  }
  const onFirst = (inOwnWay: End) => {
    end = inOwnWay
  }
  return { onFirst, endAtOnce }
}
