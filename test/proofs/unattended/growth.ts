export interface Measured {
  /** Runs that the worker has finished so far. */
  readonly runs: number
  readonly memoryMb: number
  /** Open files, sockets and pipes. */
  readonly handles: number
  readonly threads: number
  /** Connections to the database. */
  readonly connections: number
}

export const MEASURES = ['runs', 'memoryMb', 'handles', 'threads', 'connections'] as const

/** Growth of each value that is allowed until the end, because all values vary a little. */
const ALLOWED = {
  memoryMb: (before: number) => Math.max(40, before * 0.15),
  handles: () => 4,
  threads: () => 2,
  connections: () => 3,
} as const

/**
 * Lists the values that grew between the second quarter of the time, after the process had warmed up, and the
 * last quarter. For memory, compares the medians. For all values except memory, compares the minimums: a run
 * opens connections and files for a short time, but a leak remains between runs.
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
