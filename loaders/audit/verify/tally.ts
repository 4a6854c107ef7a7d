import { createHash } from 'node:crypto'

/** Counts ids by names, with a control total for each name: one id lost and another doubled leave the count alone. */
export interface Tally {
  add(name: string, id: string): void
  count(name: string): number
  /** Equal where the same ids were added under both names, in whatever order. */
  total(name: string): number
  names(): readonly string[]
}

/** Six bytes of each hash are summed up, so that a number holds the sum. */
const BYTES = 6
const MODULUS = 2 ** (8 * BYTES)

export function makeTally(): Tally {
  const counts = new Map<string, number>()
  const totals = new Map<string, number>()
  return {
    add(name, id) {
      const check = createHash('sha256').update(id).digest().readUIntBE(0, BYTES)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      totals.set(name, ((totals.get(name) ?? 0) + check) % MODULUS)
    },
    count: (name) => counts.get(name) ?? 0,
    total: (name) => totals.get(name) ?? 0,
    names: () => [...counts.keys()],
  }
}
