import { hash } from 'node:crypto'
import { UnreadableFileError } from '../files/read-regular.ts'

/** Counts ids by names, with a control total for each name: one id lost and another doubled leave the count alone. */
export type Tally = ReturnType<typeof makeTally>

/** Six bytes of each hash are summed up, so that a number holds the sum. */
const BYTES = 6
const MODULUS = 2 ** (8 * BYTES)

/** Decisions, reasons and actions by their contents are some hundreds. */
const MOST_NAMES = 10_000

/** @param file in which the ids are */
export function makeTally(file: string) {
  const counts = new Map<string, number>()
  const totals = new Map<string, number>()
  return {
    /** @throws UnreadableFileError */
    add(name: string, id: string): void {
      const check = hash('sha256', id, 'buffer').readUIntBE(0, BYTES)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      if (counts.size > MOST_NAMES)
        throw new UnreadableFileError(file, `has rows of more than ${MOST_NAMES} kinds`)
      totals.set(name, ((totals.get(name) ?? 0) + check) % MODULUS)
    },
    count: (name: string) => counts.get(name) ?? 0,
    /** Equal where the same ids were added under both names, in whatever order. */
    total: (name: string) => totals.get(name) ?? 0,
    names: () => [...counts.keys()],
  }
}
