import { counted } from '../../../transforms/texts/counted.ts'
import { type Page, SourceMovedError } from '../../sources/contract/source.ts'

/**
 * Beginning of the value that stands for the id of a record that cannot be read. Such records may be equal.
 * They hide no missing record, because missing records stay while there are more unreadable records than
 * before.
 */
export const UNREADABLE = '\0\0'

const REPEATS = 'check whether the source, or a cache or proxy before it, gives a page twice'

/**
 * Notices ids that are on several pages of a list (transforms/RULES.md#r78). Keeps two numbers for each
 * record, in 16 bytes: one for the id, one for the version.
 */
export function repeatedIds() {
  let ids: number[] = []
  let versions: number[] = []
  /** The repeats of the reading before; null in the first reading. */
  let before: string | null = null
  let twice = 0

  return {
    /** Forgets the pages, because the list is read again. */
    restart(): void {
      ids = []
      versions = []
      twice = 0
    },
    /** @param overlap id of the last record of the page before, with which this page begins; null if none */
    add(page: Pick<Page, 'ids' | 'versions'>, overlap: string | null): void {
      const onPage = new Map<string, string>()
      for (const [index, id] of page.ids.entries()) {
        const version = page.versions[index] ?? ''
        const first = onPage.get(id)
        if (first === version) twice += 1
        if (first !== undefined || id.startsWith(UNREADABLE)) continue
        onPage.set(id, version)
        if (id === overlap) continue
        ids.push(numberOf(id))
        versions.push(Number.parseInt(version, 16))
      }
    },
    /** Returns how often a record came again on its own page, with the same values. */
    twiceOnPages: () => twice,
    /**
     * Checks that no id was on several pages, unless its records have different values and were the same in
     * the reading before.
     *
     * @throws SourceMovedError if another reading is needed
     */
    requireUnmoved(advice = REPEATS): void {
      const { again, other, key } = findRepeats(ids, versions)
      const isAsBefore = key === before
      before = key
      if (again > 0 || (other > 0 && !isAsBefore)) {
        const seen = `${counted(again + other, 'record')} came again on a later page`
        throw new SourceMovedError(`${seen}, so other records may be missing: ${advice}`)
      }
    },
  }
}

/**
 * Finds ids that are on several pages.
 *
 * @returns `again`: number of records that came again with the same values. `other`: number of records that
 *   came again with other values. `key`: a text that two readings share only if their repeats are the same
 */
function findRepeats(ids: readonly number[], versions: readonly number[]) {
  const sorted = Float64Array.from(ids).sort()
  const repeated = new Set(sorted.filter((id, index) => id === sorted[index - 1]))
  const records = repeated.size === 0 ? [] : ids.map((id, index) => [id, versions[index]] as const)
  const named = records.flatMap(([id, version]) => (repeated.has(id) ? `${id} ${version}` : []))
  const different = new Set(named).size
  return { again: named.length - different, other: different - repeated.size, key: named.toSorted().join() }
}

/**
 * Returns the hash cyrb53 of an id, which has 53 bits. Two of a million ids have the same hash in one of
 * 18,000 lists; such a list is read twice.
 */
function numberOf(id: string): number {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < id.length; index += 1) {
    const unit = id.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 2 ** 32 * (low & 0x1fffff) + (high >>> 0)
}
