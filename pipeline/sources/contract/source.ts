import type { Incoming, IncomingName, IncomingTotals } from '../../../loaders/staging/incoming.ts'
import type { Content, Missed } from '../../../sql/tables.ts'
import type { StagedRecord, StagingTables } from '../../../transforms/declare/resource.ts'
import type { Json } from '../../../transforms/rules/values.ts'
import type { Said } from './said.ts'

/**
 * Why a record cannot be staged. A record that cannot be staged is quarantined. A quarantined record is
 * treated as present, so its item is not removed.
 */
export interface Fault {
  /** JSON path of the fault in the record. `$` is the record itself. */
  readonly path: string
  readonly message: string
}

/** The message of the fault of a record without an id. */
export const NO_ID = 'no id'

/** Formats a fault for a sentence. */
export function faultText({ path, message }: Fault): string {
  return path === '$' ? message : `${message} (${path})`
}

export interface SourceResource {
  readonly name: string
  readonly table: keyof StagingTables
  /** Columns of the table that contain the values of the record, in the order in which they are copied. */
  readonly columns: readonly string[]
  /** The columns with ids of people to whom the record refers. */
  readonly naming: readonly string[]
  /** Keys of a record that are read. Some sources return only the keys that a request names. */
  readonly keys: readonly string[]
  /** The key is left out if the source cannot search for changes. */
  readonly changes?: ChangeKey
  /** The search of the request. If the request has no search, all records are requested. */
  readonly search?: Search
  /**
   * Options that affect how a record is read. If one of the options that affect reading changes, the rows get
   * new versions.
   */
  readonly versionInputs: readonly unknown[]
  /**
   * Contents whose items are made from these records. The list is empty for records that other records only
   * refer to.
   */
  readonly contents: readonly Content[]
  readonly neededFor: readonly Content[]
  /** Reads one record, or returns why it cannot be staged. @param isIdOnly true: only the id is read */
  read(record: Json, isIdOnly?: boolean): StagedRecord | Fault
}

export interface ChangeKey {
  readonly key: string
  /** True if the integration is read by changes, so that the key is requested. */
  readonly isAsked: boolean
  /** True if a value of the record comes from this key. If the value is false, the key is not staged. */
  readonly isStaged: boolean
}

/**
 * The records that a request asks for: records that changed at or after a time, such as `2031-05-04 09:00:00`
 * in the time zone of the source, or records with certain ids.
 */
export type Search = { readonly changedSince: string } | { readonly ids: readonly string[] }

/**
 * Error for an answer to a search for changes that cannot be right. All records of the resource must then be
 * read.
 */
export class UnfitChangesError extends Error {
  override readonly name = 'UnfitChangesError'
}

export const END_PROOFS = ['overlap', 'empty page', 'last link', 'total met', 'unpaged array'] as const
export type EndProof = (typeof END_PROOFS)[number]

export interface Ending {
  readonly proof: EndProof
  /** Total number that the source has declared; null if it declares no number. */
  readonly declared: number | null
}

/** One page that was read completely. */
export interface Page {
  /** Number of new elements. The element that overlaps with the previous page is not counted. */
  readonly elements: number
  /**
   * Ids of the first and the last element, including the overlapping element. The two ids are null for an
   * empty page.
   */
  readonly first: string | null
  readonly last: string | null
  /** Ids of the elements in their order, but at most a hundred thousand ids. */
  readonly ids: readonly string[]
  /** The first twelve hexadecimal digits of the version hashes of these elements. */
  readonly versions: readonly string[]
  /**
   * How often a record came again on this page, with the same values. A total may count such a record once.
   */
  readonly twice: number
  readonly members: { readonly [key: string]: Json }
  readonly form: 'array' | 'value' | 'items' | 'list'
  /** Statements of the page about the number of records and pages. */
  readonly said: Said
}

/**
 * Reads one page, with retries, and stages its elements.
 *
 * @param overlap id that the first element must have, which is not counted again; null if the pages do not
 *   overlap
 * @param use `compared` if the elements are not staged, because they were staged before
 * @throws SourceMovedError if the first element has another id
 */
export type ReadPage = (url: URL, overlap: string | null, use?: 'staged' | 'compared') => Promise<Page>

/**
 * The position from which reading continues after a crash, as JSON. The members of the position are different
 * for each source.
 */
export type PageCursor = Readonly<Record<string, string | number | null>>

/**
 * A source, with its properties and a function that reads a resource page by page until its end is proved.
 */
export interface Source {
  /** The `type` of the source in event-sync.yaml. */
  readonly type: string
  /** The address that all requests, redirects and links must stay below. */
  readonly within: URL
  /**
   * Text that identifies the account on the host, as `accountHash` returns it. The account is null if the
   * source is read without credentials.
   */
  readonly account: string | null
  /** Credits that one request costs. */
  readonly requestCost: number
  /**
   * Reads a resource to its end, and returns the proof that this is the end.
   *
   * @param save called after each page with the position from which reading could continue
   * @param from position from which reading continues; null to begin with the first page
   * @throws SourceMovedError if the source has changed since this position was saved; UnprovedError if the
   *   end cannot be proved
   */
  readToEnd(
    resource: SourceResource,
    readPage: ReadPage,
    save: (cursor: PageCursor) => Promise<void>,
    from: PageCursor | null,
  ): Promise<Ending>
  /**
   * Returns the key of the list that contains the records of a resource, for a source whose answers have
   * several lists. If this function is left out, the answer is one list, or an object with one list under
   * `value` or `items`.
   */
  readonly listOf?: (resource: SourceResource) => string
  /** Advice if the source gave fewer records than it declared; left out for a source of this package. */
  readonly adviceIfShort?: string
  /**
   * Returns sentences for the report if the source had to be read in an unusual way. If this function is left
   * out, there are no such sentences.
   */
  readonly notes?: () => readonly string[]
  /** Returns the headers with credentials that every request needs. */
  authorization(): Promise<Readonly<Record<string, string>>>
  /** Called if the source refused these headers. The next request to the source then gets new headers. */
  renewAuthorization(refused: Readonly<Record<string, string>>): void
}

/** Error for a resource that was read, although it is not proved that the end was reached. */
export class UnprovedError extends Error {
  override readonly name: string = 'UnprovedError'
  /** The error message without its hint. */
  readonly what: string
  /** Advice at the end of the error message. */
  readonly hint: string | null

  constructor(what: string, hint: string | null = null) {
    super(hint === null ? what : `${what}: ${hint}`)
    this.what = what
    this.hint = hint
  }
}

/**
 * Error for a source that changed while it was read. The records that were read may never have existed at the
 * same time.
 */
export class SourceMovedError extends UnprovedError {
  override readonly name = 'SourceMovedError'
  /** Id of the first element on the unexpected page; null if the page had no element. */
  readonly first: string | null

  constructor(message: string, first: string | null = null) {
    super(message)
    this.first = first
  }
}

/** The result of reading a resource. The reading says whether it is proved complete. */
export interface Reading {
  readonly resource: SourceResource
  readonly incoming: IncomingName
  readonly totals: IncomingTotals
  readonly certified: boolean
  /** Number of answers from which records were read. */
  readonly requests: number
  /**
   * Number of requests that were sent. Failed requests, and requests whose answers were discarded, are
   * included.
   */
  readonly attempts: number
  readonly declared: number | null
  readonly endProof: EndProof | 'none'
  /** Why the reading is not certified, or what a second reading found; otherwise empty. */
  readonly detail: string
  /** True if a second reading confirmed that records are missing; null if no records were missing. */
  readonly confirmed: boolean | null
  /** If this run continues a run that died, the time at which that run saved its reading; otherwise null. */
  readonly resumedFrom: string | null
  /** How the resource was read by changes; null if it is not read by changes. */
  readonly changes: ReadByChanges | null
}

/** How a resource that can be read by changes will be read. */
export interface PlannedReading {
  /** Time after which changes are requested, or would be requested; null if no such time is known. */
  readonly since: string | null
  /** Id of a record that the answer must contain: the record that changed last, as far as is known. */
  readonly markId: string | null
  /** Why all records will be read; null if only changed records will be read. */
  readonly full: string | null
  /** True if the reason for reading all records is unusual, so that the report mentions it. */
  readonly isUnusual: boolean
  /**
   * Keys that the last full reading requested; null if this reading cannot be compared with the last full
   * reading.
   */
  readonly comparedKeys: readonly string[] | null
}

/**
 * How a resource was read. For a full reading, also which records earlier readings by changes had missed.
 * `since` is null if all records were read.
 */
export interface ReadByChanges extends Pick<PlannedReading, 'since' | 'full' | 'isUnusual'> {
  readonly planned: PlannedReading
  readonly missed: Missed
  /** Number of new or changed records in the full reading that earlier readings have not missed. */
  readonly brought: number
  /** Ids of records that a search for changes did not return, although the source still has them. */
  readonly unbrought: readonly string[]
  /**
   * Why the search for missed records could not be used. The reason is null if the search could be used, or
   * if there was no search.
   */
  readonly searchFault: string | null
}

export type RecordSink = Pick<Incoming, 'add' | 'totals' | 'rewind'>

/**
 * An answer whose records were staged. With the data of the answer, people can check the certificate of the
 * reading.
 */
export interface ReadRequest {
  readonly url: string
  readonly status: number
  readonly bytes: number
  readonly sha256: string
  readonly elements: number
  readonly answeredAt: string
  /**
   * Time of the answer by the clock of the source, from the header `Date`; null if there is no such header.
   */
  readonly sourceAt: string | null
}
