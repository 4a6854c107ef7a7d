import { hash } from 'node:crypto'
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
    /**
     * @param overlap id of the last record of the page before, with which this page begins; null if none
     * @returns how often a record came again on this page, with the same values
     */
    add(page: Pick<Page, 'ids' | 'versions'>, overlap: string | null): number {
      let twiceOnPage = 0
      const onPage = new Map<string, string>()
      for (const [index, id] of page.ids.entries()) {
        const version = page.versions[index] ?? ''
        const first = onPage.get(id)
        if (first === version) twiceOnPage += 1
        if (first !== undefined || id.startsWith(UNREADABLE)) continue
        onPage.set(id, version)
        if (id === overlap) continue
        ids.push(numberOf(id))
        versions.push(Number.parseInt(version, 16))
      }
      twice += twiceOnPage
      return twiceOnPage
    },
    /** Returns the sum of what `add` has returned. */
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
 * Returns 52 bits of a hash of an id. Two of a million ids have the same bits in one of 9,000 lists; such a list
 * is read twice.
 */
function numberOf(id: string): number {
  return Number.parseInt(hash('sha1', id).slice(0, 13), 16)
}
