import { hash } from 'node:crypto'
import { counted } from '../../../transforms/texts/counted.ts'
import { type Page, UnprovedError } from './source.ts'

/**
 * An answer that seems to contain all records. The answer has the number of records and two hashes of their
 * ids, sorted and in their order.
 */
export interface Unpaged {
  readonly elements: number
  readonly ids: string
  readonly order: string
}

export function unpagedOf({ elements, ids }: Pick<Page, 'elements' | 'ids'>): Unpaged {
  return { elements, ids: hashOf(ids.toSorted()), order: hashOf(ids) }
}

/**
 * Returns true if an answer has the same records in another order. For an answer with a single record, the
 * result is always true.
 */
export function isReordered(first: Unpaged, again: Page): boolean {
  return unpagedOf(again).order !== first.order || new Set(again.ids).size <= 1
}

/**
 * Compares an answer that seems to contain all records with an answer in another order. If the first answer
 * was cut off, the second answer has other records.
 *
 * @param again answer in another order; null if the source has returned more records after the first answer
 * @param seen why the first answer may be incomplete, for the message
 * @throws UnprovedError if the two answers have different records
 */
export function requireSameRecords(first: Unpaged, again: Page | null, seen: string): void {
  const other = again === null ? null : unpagedOf(again)
  if (other?.elements === first.elements && other.ids === first.ids) return
  const todo = 'check whether the source, or a proxy before it, cuts its answers short'
  throw new UnprovedError(`${maybeIncomplete(first, seen)}, and another order returns different ones`, todo)
}

/** Makes the error for a source that ignores the requested order. */
export function sameOrder(first: Unpaged, seen: string, ignored: string): UnprovedError {
  const todo = 'check whether a cache or proxy answers instead of the source and ignores the query'
  return new UnprovedError(`${maybeIncomplete(first, seen)}, and it ignores ${ignored} too`, todo)
}

function maybeIncomplete({ elements }: Unpaged, seen: string): string {
  return `${seen}, so its ${counted(elements, 'record')} may be incomplete`
}

function hashOf(ids: readonly string[]): string {
  return hash('sha256', JSON.stringify(ids), 'hex')
}
