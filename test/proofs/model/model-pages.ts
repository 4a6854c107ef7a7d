import { type Json, render } from '../../harness/json.ts'

/** How a source divides a list into pages. */
export interface Paging {
  /** Maximum number of elements of a page. */
  readonly size: number
  /** Number of elements at the end of a page with which the next page begins. */
  readonly overlap: 0 | 1
}

/**
 * Returns true if a record comes again on a later page with the same values. Such a list looks the same as a
 * list that moved between two pages, so it is never proved complete. Source: transforms/RULES.md#r78.
 *
 * @param idOf returns the id of an element; null if it has none, and then it does not count
 */
export function comesAgain(
  elements: readonly Json[],
  idOf: (element: Json) => string | null,
  { size, overlap }: Paging,
): boolean {
  const seen = new Set<string>()
  for (let start = 0; start === 0 || start + overlap < elements.length; start += size - overlap) {
    const page = elements.slice(start, start + size)
    const shared = start > 0 && overlap > 0 ? idOf(page[0] ?? null) : null
    const records = page.flatMap((element) => {
      const id = idOf(element)
      return id === null || id === shared ? [] : `${id} ${render(element, 'plain')}`
    })
    if (records.some((record) => seen.has(record))) return true
    for (const record of records) seen.add(record)
  }
  return false
}
