import { createHash } from 'node:crypto'

/** Counts ids by names, with a control total for each name: one id lost and another doubled leave the count alone. */
export type Tally = ReturnType<typeof makeTally>

/** Six bytes of each hash are summed up, so that a number holds the sum. */
const BYTES = 6
const MODULUS = 2 ** (8 * BYTES)

export function makeTally() {
  const counts = new Map<string, number>()
  const totals = new Map<string, number>()
  return {
    add(name: string, id: string): void {
      const check = createHash('sha256').update(id).digest().readUIntBE(0, BYTES)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      totals.set(name, ((totals.get(name) ?? 0) + check) % MODULUS)
    },
    count: (name: string) => counts.get(name) ?? 0,
    /** Equal where the same ids were added under both names, in whatever order. */
    total: (name: string) => totals.get(name) ?? 0,
    names: () => [...counts.keys()],
  }
}
