/** Exit codes of a command that a signal ended, as a shell tells them. */
export const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/** A terminal and whoever started us may both pass on one and the same Ctrl-C. */
const SAME_SIGNAL_MS = 1_000

type End = (code: number) => void

// What was applied is recorded and what was not is finished by the next run, so stopping at once is safe.
const atOnce: End = (code) => process.exit(code)
let end = atOnce
let endedAtMs: number | null = null

/** Ends the process at a signal, at once unless a command asks otherwise. */
export function heedSignals(): void {
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      const now = performance.now()
      if (endedAtMs !== null && now - endedAtMs < SAME_SIGNAL_MS) return
      const isFirst = endedAtMs === null
      endedAtMs = now
      if (isFirst) end(code)
      else atOnce(code)
    })
  }
}

/** Lets a command end in its own way at the first signal; a second one ends it at once all the same. */
export function endGently(inOwnWay: End): void {
  end = inOwnWay
}
