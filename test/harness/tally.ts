export interface Tally {
  count(name: string, times?: number): void
}

const declared = new Set<string>()

/** Adds a case to the list of required cases: each must occur often enough in a whole test. */
export function declare(name: string): void {
  declared.add(name)
}

export interface Counts extends Tally {
  /** Returns all required cases and all cases that occurred, the rarest first. */
  table(): readonly (readonly [name: string, count: number])[]
  /** Returns the required cases that occurred fewer than `least` times. */
  missed(least: number): readonly (readonly [name: string, count: number])[]
}

export function makeTally(): Counts {
  const counts = new Map([...declared].map((name) => [name, 0]))
  const table = () => [...counts].sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1))
  return {
    count: (name, times = 1) => counts.set(name, (counts.get(name) ?? 0) + times),
    table,
    missed: (least) => table().filter(([name, count]) => declared.has(name) && count < least),
  }
}
