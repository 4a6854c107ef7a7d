import type { IncomingRow } from '../../../loaders/staging/incoming.ts'
import type { FillCounts } from './fill-counts.ts'
import type { ReadFault } from './read-fault.ts'
import type { Resource } from './source.ts'

export type ResourceRead =
  | { readonly outcome: 'read'; readonly counts: FillCounts }
  | { readonly outcome: 'failed'; readonly fault: ReadFault }
  /** Given up beforehand, since what was asked before it has failed. */
  | { readonly outcome: 'not read' }

/** Resources that the integration needs, by name, in the order in which they were read. */
export type Reads = ReadonlyMap<string, ResourceRead>

/** What became of asking the source for everything that a run would read. */
export interface Answers {
  /** Why the source gives no access at all; null where it gives it, or needs none. */
  readonly accessFault: ReadFault | null
  /** Whether credentials were taken, for a source that asks for some. */
  readonly isAdmitted: boolean
  readonly reads: Reads
}

/** What else the records of a resource are counted as; see `countFills`. */
export type TallyOf = (resource: Resource) => ((row: IncomingRow) => string | null) | undefined

export interface Evidence {
  readonly reads: Reads
  /** Id of the failed rule that kept everything from being read; null where there is none such. */
  readonly cause: string | null
}

/** Counts of a resource; null where it was not read, or is not needed. */
export function countsOf({ reads }: Evidence, resource: string): FillCounts | null {
  const read = reads.get(resource)
  return read?.outcome === 'read' ? read.counts : null
}

export function whyNotRead({ cause, reads }: Evidence, ...resources: readonly string[]): string {
  if (cause !== null) return `not read, see ${cause}`
  const failed = resources.filter((resource) => reads.get(resource)?.outcome !== 'read')
  return `not read, see ${failed.join(' and ')}`
}

/** How many records of a resource, as a sentence says it: `1 user`, `2 users`. */
export function counted(records: number, resource: string): string {
  const noun = nounOf(resource)
  return `${records} ${records === 1 ? noun.replace(/s$/, '') : noun}`
}

export function nounOf(resource: string): string {
  return resource === 'reg_types' ? 'registrant types' : resource.replaceAll('_', ' ')
}
