export interface Measured {
  /** Runs that it has finished by then. */
  readonly runs: number
  readonly memoryMb: number
  /** Files, sockets and pipes that are open. */
  readonly handles: number
  readonly threads: number
  /** Connections to the database. */
  readonly connections: number
}

export const MEASURES = ['runs', 'memoryMb', 'handles', 'threads', 'connections'] as const

/** What may be more at the end: memory breathes, and so do the rest a little. */
const ALLOWED = {
  memoryMb: (before: number) => Math.max(40, before * 0.15),
  handles: () => 4,
  threads: () => 2,
  connections: () => 3,
} as const

/**
 * Returns what a process has more of at the end than it had when it had warmed up: its second quarter beside its last. Of memory
 * the medians are compared; of the rest the least, since a run has connections and files of its own, and what leaks is there
 * between two runs too.
 */
export function grows(measured: readonly Measured[]): string[] {
  const quarter = Math.floor(measured.length / 4)
  if (quarter < 2) return ['too few measurements to tell']
  const [early, late] = [measured.slice(quarter, quarter * 2), measured.slice(-quarter)]
  const faults = Object.entries(ALLOWED).flatMap(([name, allowed]) => {
    const [before, after] = [early, late].map((some) => {
      const numbers = some.map((one) => one[name as keyof typeof ALLOWED])
      return name === 'memoryMb' ? median(numbers) : Math.min(...numbers)
    })
    if (before === undefined || after === undefined || after - before <= allowed(before)) return []
    return [`${name} grew from ${before} to ${after}`]
  })
  const last = late.at(-1)?.runs ?? 0
  if (last <= (early[0]?.runs ?? 0)) faults.push('no run was finished meanwhile')
  return faults
}

function median(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
