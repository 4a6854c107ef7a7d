import type { Incoming, IncomingName, IncomingTotals } from '../../../loaders/staging/incoming.ts'
import type { Missed } from '../../../sql/tables.ts'
import type { EndProof, Resource } from './source.ts'

/** What was read of a resource, and whether it is proved to be all of it. */
export interface Reading {
  readonly resource: Resource
  readonly incoming: IncomingName
  readonly totals: IncomingTotals
  readonly certified: boolean
  /** Answers that the records were read from. */
  readonly requests: number
  /** Requests that were sent, those included that failed or whose answers were given up. */
  readonly attempts: number
  readonly declared: number | null
  readonly endProof: EndProof | 'none'
  /** Why it is not certified, or what a second reading brought; else empty. */
  readonly detail: string
  /** Whether a second reading confirmed what was missing; null where nothing was. */
  readonly confirmed: boolean | null
  /** When the run that died, and that this one continues, saved its reading; null where this one read all itself. */
  readonly resumedFrom: string | null
  /** Null where the resource is not read by changes. */
  readonly changes: ReadByChanges | null
}

/** How a resource that can be read by changes is to be read. */
export interface PlannedReading {
  /** Time from which changes are asked for, or would be; null where none is known. */
  readonly since: string | null
  /** Id of a record that the answer must contain. */
  readonly markId: string | null
  /** Why all is read; null where only changes are. */
  readonly full: string | null
  /** Whether that is unusual, so that the report mentions it. */
  readonly isUnusual: boolean
  /** Keys that the last full reading asked for; null where this one cannot be compared with it. */
  readonly comparedKeys: readonly string[] | null
}

/** How it was read in the end (`since` is null where all was), and what a full reading says of the readings of changes before it. */
export interface ReadByChanges extends Pick<PlannedReading, 'since' | 'full' | 'isUnusual'> {
  readonly planned: PlannedReading
  readonly missed: Missed
  /** Records that the full reading found new or changed, and that are no misses. */
  readonly brought: number
}

export type RecordSink = Pick<Incoming, 'add' | 'totals' | 'rewind'>

/** An answer whose records count, by which a certificate can be checked. */
export interface ReadRequest {
  readonly url: string
  readonly status: number
  readonly bytes: number
  readonly sha256: string
  readonly elements: number
  readonly answeredAt: string
}
