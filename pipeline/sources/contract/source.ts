import type { Incoming, IncomingName, IncomingTotals } from '../../../loaders/staging/incoming.ts'
import type { Content, Missed } from '../../../sql/tables.ts'
import type { StagedRecord, StagingTables } from '../../../transforms/declare/resource.ts'
import type { Json } from '../../../transforms/rules/values.ts'
import type { Said } from './said.ts'

/** Why a record cannot be staged; it is quarantined, and counts as present. */
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
  /** Keys of a record that its values are read from, for a source that gives only the keys it is asked for. */
  readonly keys: readonly string[]
  /** Left out where the source has no search for changes. */
  readonly changes?: ChangeKey
  /** Left out: all records are asked for. */
  readonly search?: Search
  /** Options that shape a record: another value makes new versions of the rows. */
  readonly versionInputs: readonly unknown[]
  /** Contents whose records these are; a lookup has none. */
  readonly contents: readonly Content[]
  readonly neededFor: readonly Content[]
  /**
   * Reads one record, or says why it cannot be staged.
   *
   * @param isIdOnly reads its id alone, and none of its values
   */
  read(record: Json, isIdOnly?: boolean): StagedRecord | Fault
}

export interface ChangeKey {
  readonly key: string
  /** True if the integration is read by changes, so that the key is asked for. */
  readonly isAsked: boolean
  /** True if a custom field names the key; else it is not staged. */
  readonly isStaged: boolean
}

export type Search = { readonly changedSince: string } | { readonly ids: readonly string[] }

/** An answer to a search for changes cannot be right, so the resource is to be read in full. */
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
  /** New elements; the one that overlaps with the page before does not count. */
  readonly elements: number
  /** Identity of the first and last element, the overlapping one included; null for an empty page. */
  readonly first: string | null
  readonly last: string | null
  /** Identities of the elements in their order, a hundred thousand at most. */
  readonly ids: readonly string[]
  readonly members: { readonly [key: string]: Json }
  readonly form: 'array' | 'value' | 'items' | 'list'
  /** Its own statements on how much there is. */
  readonly said: Said
}

/**
 * Reads one page, with retries, and stages its elements.
 *
 * @param overlap identity that the first element must have, which is then not counted again; null for none
 * @param use `compared`: the elements are not staged, since they were before
 * @throws SourceMovedError where the first element is another
 */
export type ReadPage = (url: URL, overlap: string | null, use?: 'staged' | 'compared') => Promise<Page>

/** Position at which reading continues after the process died: what the source's own paging needs, as JSON. */
export type PageCursor = Readonly<Record<string, string | number | null>>

/** A source: data about itself, and a function that reads a resource page by page to its proved end. */
export interface Source {
  /** As in event-sync.yaml. */
  readonly type: string
  /** No request, redirect or link leads outside this address. */
  readonly within: URL
  /** Tells the account that it is read with from others on the same host: `accountOf`; null where it is read without credentials. */
  readonly account: string | null
  /** Credits that a request costs. */
  readonly requestCost: number
  /**
   * @param save called after each page with where reading could continue
   * @param from the place to continue at; null to begin at the beginning
   * @throws SourceMovedError where the source is no longer as it was there; UnprovedError where its end cannot be known
   */
  readToEnd(
    resource: SourceResource,
    readPage: ReadPage,
    save: (cursor: PageCursor) => Promise<void>,
    from: PageCursor | null,
  ): Promise<Ending>
  /**
   * The key of the list that holds the records of a resource, for a source that answers with several lists. Left out: the answer is
   * one list, alone or under `value` or `items`.
   */
  readonly listOf?: (resource: SourceResource) => string
  /** Sentences for the report about how the source had to be read. Left out: there is nothing to say. */
  readonly notes?: () => readonly string[]
  /** Credentials, as headers of every request. */
  authorization(): Promise<Readonly<Record<string, string>>>
  /** Called where the source refused these headers, so that the next ones are new. */
  renewAuthorization(refused: Readonly<Record<string, string>>): void
}

/** Reports that a resource was not proved to be read to its end. */
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

/** The source changed while it was read, so what was read was never all there at one moment. */
export class SourceMovedError extends UnprovedError {
  override readonly name = 'SourceMovedError'
  /** Identity of the first element of the page that did not fit, if it had one. */
  readonly first: string | null

  constructor(message: string, first: string | null = null) {
    super(message)
    this.first = first
  }
}

/** Describes what was read of a resource, and whether it is proved to be all of it. */
export interface Reading {
  readonly resource: SourceResource
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
  /** True if a second reading confirmed what was missing; null where nothing was. */
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
  /** True if that is unusual, so that the report mentions it. */
  readonly isUnusual: boolean
  /** Keys that the last full reading asked for; null where this one cannot be compared with it. */
  readonly comparedKeys: readonly string[] | null
}

/** How it was read in the end (`since` is null where all was), and what a full reading says of the readings of changes before it. */
export interface ReadByChanges extends Pick<PlannedReading, 'since' | 'full' | 'isUnusual'> {
  readonly planned: PlannedReading
  readonly missed: Missed
  /** Records that the full reading found new or changed, and that are not misses. */
  readonly brought: number
  /** Ids of the records that a search for changes did not bring, and that the source still has. */
  readonly unbrought: readonly string[]
  /** Why the search for misses could not be used; null if it could, or none was made. */
  readonly searchFault: string | null
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
  /** The same by the clock of the source, as its `Date` header says; null if the source does not say. */
  readonly sourceAt: string | null
}
