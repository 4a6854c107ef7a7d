import { hash } from 'node:crypto'
import { counted } from '../../../transforms/texts/counted.ts'
import { type Page, UnprovedError } from './source.ts'

/** The records of an answer that has all of them: how many, and hashes of their identities, sorted and in their order. */
export interface Unpaged {
  readonly elements: number
  readonly ids: string
  readonly order: string
}

export function unpagedOf({ elements, ids }: Pick<Page, 'elements' | 'ids'>): Unpaged {
  return { elements, ids: hashOf(ids.toSorted()), order: hashOf(ids) }
}

/** Returns whether the same records came in another order. One record has one order only. */
export function isReordered(first: Unpaged, again: Page): boolean {
  return unpagedOf(again).order !== first.order || new Set(again.ids).size <= 1
}

/**
 * Compares an answer that seems to have all records with another one that was asked for in another order: an answer that is cut short
 * has other records then.
 *
 * @param again null if records came in between that the first answer did not have
 * @param seen why the answer may be incomplete, for the message
 * @throws UnprovedError if it has other records
 */
export function requireSameRecords(first: Unpaged, again: Page | null, seen: string): void {
  const other = again === null ? null : unpagedOf(again)
  if (other?.elements === first.elements && other.ids === first.ids) return
  const todo = 'check whether the source, or a proxy before it, cuts its answers short'
  throw new UnprovedError(`${maybeIncomplete(first, seen)}, and another order returns different ones`, todo)
}

/** The error about a source that answers the same in every order. */
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
