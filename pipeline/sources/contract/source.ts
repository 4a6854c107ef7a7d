import type { Incoming, IncomingName, IncomingTotals } from '../../../loaders/staging/incoming.ts'
import type { Content, Missed } from '../../../sql/tables.ts'
import type { StagedRecord, StagingTables } from '../../../transforms/declare/resource.ts'
import type { Json } from '../../../transforms/rules/values.ts'
import type { Said } from './said.ts'

/** Why a record cannot be staged. The record is quarantined, and counts as present. */
export interface Fault {
  /** JSON path within the record, `$` being the record itself. */
  readonly path: string
  readonly message: string
}

export interface SourceResource {
  readonly name: string
  readonly table: keyof StagingTables
  /** Columns of the table that hold the record's values, in the order in which they are copied. */
  readonly columns: readonly string[]
  /** Keys of a record that are read, for a source that returns only the keys it is asked for. */
  readonly keys: readonly string[]
  /** Left out if the source has no search for changes. */
  readonly changes?: ChangeKey
  /** Left out: all records are asked for. */
  readonly search?: Search
  /** Options that affect how a record is read. If one changes, the rows get new versions. */
  readonly versionInputs: readonly unknown[]
  /** Contents whose items are made from these records; empty for a lookup. */
  readonly contents: readonly Content[]
  readonly neededFor: readonly Content[]
  /**
   * Reads one record, or returns why it cannot be staged.
   *
   * @param isIdOnly reads only its id
   */
  read(record: Json, isIdOnly?: boolean): StagedRecord | Fault
}

export interface ChangeKey {
  readonly key: string
  /** True if the integration is read by changes, so that the key is asked for. */
  readonly isAsked: boolean
  /** True if a value of the record is read from this key; otherwise it is not staged. */
  readonly isStaged: boolean
}

export type Search = { readonly changedSince: string } | { readonly ids: readonly string[] }

/** An answer to a search for changes cannot be right, so the resource must be read in full. */
export class UnfitChangesError extends Error {
  override readonly name = 'UnfitChangesError'
}

export type EndProof = 'overlap' | 'empty page' | 'last link' | 'total met' | 'unpaged array'

export interface Ending {
  readonly proof: EndProof
  /** Count that the source declared, if it declares one. */
  readonly declared: number | null
}

/** One page that was read whole. */
export interface Page {
  /** New elements; the element that overlaps with the page before does not count. */
  readonly elements: number
  /** Identities of the first and the last element, including the overlapping one; null for an empty page. */
  readonly first: string | null
  readonly last: string | null
  /** Identities of the elements in their order, at most a hundred thousand. */
  readonly ids: readonly string[]
  readonly members: { readonly [key: string]: Json }
  readonly form: 'array' | 'value' | 'items' | 'list'
  /** Its own statements about the number of records and pages. */
  readonly said: Said
}

/**
 * Reads one page, with retries, and stages its elements.
 *
 * @param overlap identity that the first element must have; that element is not counted again. Null for none
 * @param use `compared`: the elements are not staged, since they were staged before
 * @throws SourceMovedError if the first element has another identity
 */
export type ReadPage = (url: URL, overlap: string | null, use?: 'staged' | 'compared') => Promise<Page>

/**
 * The position at which reading continues after the process died, as JSON. Each source has its own members.
 */
export type PageCursor = Readonly<Record<string, string | number | null>>

/** A source: its properties, and a function that reads a resource page by page to its proved end. */
export interface Source {
  /** Its `type` in event-sync.yaml. */
  readonly type: string
  /** No request, redirect or link leads outside this address. */
  readonly within: URL
  /**
   * Distinguishes the account from other accounts on the same host, see `accountOf`; null if the source is
   * read without credentials.
   */
  readonly account: string | null
  /** Credits that a request costs. */
  readonly requestCost: number
  /**
   * Reads a resource to its end, and returns the proof of the end.
   *
   * @param save called after each page with the position at which reading could continue
   * @param from the position to continue at; null to begin at the start
   * @throws SourceMovedError if the source has changed since that position was saved; UnprovedError if the
   *   end cannot be known
   */
  readToEnd(
    resource: SourceResource,
    readPage: ReadPage,
    save: (cursor: PageCursor) => Promise<void>,
    from: PageCursor | null,
  ): Promise<Ending>
  /**
   * Returns the key of the list that holds the records of a resource, for a source that answers with several
   * lists. Left out: the answer is one list, alone or under `value` or `items`.
   */
  readonly listOf?: (resource: SourceResource) => string
  /** Returns sentences for the report about how the source had to be read. Left out: none. */
  readonly notes?: () => readonly string[]
  /** Returns the credentials, as headers for every request. */
  authorization(): Promise<Readonly<Record<string, string>>>
  /** Called if the source refused these headers, so that the next request gets new ones. */
  renewAuthorization(refused: Readonly<Record<string, string>>): void
}

/** A resource was read, but not proved to be read to its end. */
export class UnprovedError extends Error {
  override readonly name: string = 'UnprovedError'
  /** The message without its hint. */
  readonly what: string
  /** Advice; the message ends with it. */
  readonly hint: string | null

  constructor(what: string, hint: string | null = null) {
    super(hint === null ? what : `${what}: ${hint}`)
    this.what = what
    this.hint = hint
  }
}

/** The source changed while it was read, so the records read may never have existed at the same time. */
export class SourceMovedError extends UnprovedError {
  override readonly name = 'SourceMovedError'
  /** Identity of the first element of the page that did not fit, if it had one. */
  readonly first: string | null

  constructor(message: string, first: string | null = null) {
    super(message)
    this.first = first
  }
}

/** The result of reading a resource, and whether it is proved complete. */
export interface Reading {
  readonly resource: SourceResource
  readonly incoming: IncomingName
  readonly totals: IncomingTotals
  readonly certified: boolean
  /** Number of answers from which the records were read. */
  readonly requests: number
  /** Number of requests that were sent, including those that failed or whose answers were discarded. */
  readonly attempts: number
  readonly declared: number | null
  readonly endProof: EndProof | 'none'
  /** Why it is not certified, or the result of a second reading; otherwise empty. */
  readonly detail: string
  /** True if a second reading confirmed the missing records; null if none were missing. */
  readonly confirmed: boolean | null
  /** If this run continues a run that died: the time at which that run saved its reading; otherwise null. */
  readonly resumedFrom: string | null
  /** Null if the resource is not read by changes. */
  readonly changes: ReadByChanges | null
}

/** The plan for reading a resource that can be read by changes. */
export interface PlannedReading {
  /** Time from which changes are asked for, or would be asked for; null if none is known. */
  readonly since: string | null
  /** Id of a record that the answer must contain. */
  readonly markId: string | null
  /** Why all records are read; null if only changes are read. */
  readonly full: string | null
  /** True if that is unusual, so that the report mentions it. */
  readonly isUnusual: boolean
  /** Keys that the last full reading asked for; null if this reading cannot be compared with it. */
  readonly comparedKeys: readonly string[] | null
}

/**
 * How the resource was read in the end, and, for a full reading, what the readings of changes before it had
 * missed. `since` is null if all records were read.
 */
export interface ReadByChanges extends Pick<PlannedReading, 'since' | 'full' | 'isUnusual'> {
  readonly planned: PlannedReading
  readonly missed: Missed
  /** New or changed records of the full reading that do not count as missed. */
  readonly brought: number
  /** Ids of the records that a search for changes did not return although the source still has them. */
  readonly unbrought: readonly string[]
  /** Why the search for missed records could not be used; null if it could be used, or was not made. */
  readonly searchFault: string | null
}

export type RecordSink = Pick<Incoming, 'add' | 'totals' | 'rewind'>

/** An answer whose records were staged; a certificate can be checked with it. */
export interface ReadRequest {
  readonly url: string
  readonly status: number
  readonly bytes: number
  readonly sha256: string
  readonly elements: number
  readonly answeredAt: string
  /** The same time by the clock of the source, from its `Date` header; null if there is none. */
  readonly sourceAt: string | null
}
