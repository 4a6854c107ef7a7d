import type { Cell } from '../../sql/database.ts'
import type { Content, StagingTables } from '../../sql/tables.ts'
import type { Json } from '../../transforms/rules/json.ts'
import type { Mark } from '../../transforms/rules/references.ts'

/** One value of a record as it is staged, and what its reading noticed. */
export interface StagedValue {
  readonly value: Cell
  readonly marks: readonly Mark[]
}

/** A record that passed the door. Keys are the columns of the resource's table. */
export interface StagedRecord {
  readonly sourceId: StagedValue
  readonly values: Readonly<Record<string, StagedValue>>
}

/** Why a record cannot be staged; it is quarantined and counts as present. */
export interface Fault {
  /** JSON path within the record, `$` being the record itself. */
  readonly path: string
  readonly message: string
}

/** One collection that a source serves. */
export interface Resource {
  readonly name: string
  readonly table: keyof StagingTables
  /** Columns of the table that hold the record's values, in the order in which they are copied. */
  readonly columns: readonly string[]
  /** Options of the configuration that shape a record: another value makes new versions of the rows. */
  readonly shapedBy: readonly unknown[]
  /** Contents whose records these are; a lookup has none. */
  readonly contents: readonly Content[]
  /** Contents that cannot be made without it. */
  readonly neededFor: readonly Content[]
  /** The door: one record, normalised by itself. */
  read(record: Json): StagedRecord | Fault
}

/** How the end of a resource was proved. Source: design 9, `certificates.csv`; spec-gaps on paging. */
export type EndProof = 'overlap' | 'empty page' | 'last link' | 'total met' | 'unpaged array'

/** What a reader says when it has come to the end of a resource. */
export interface Ending {
  readonly proof: EndProof
  /** Count that the source declared; null where it declares none. */
  readonly declared: number | null
}

/** One page that was read whole. */
export interface Page {
  /** New elements: the one that overlaps with the page before does not count. */
  readonly elements: number
  /** Identity of the first and last element, the overlapping one included; null for an empty page. */
  readonly first: string | null
  readonly last: string | null
  readonly members: { readonly [key: string]: Json }
  readonly form: 'array' | 'value' | 'items'
}

/**
 * Reads one page, with retries, and stages its elements.
 *
 * @param overlap identity that the first element must have, which is then not counted again; null for none
 * @param use `compared`: the elements are not staged, since they were before
 * @throws SourceMovedError where the first element is another
 */
export type ReadPage = (url: URL, overlap: string | null, use?: 'staged' | 'compared') => Promise<Page>

/** Where reading can go on after the process died: what the source's own paging needs, as JSON. */
export type Place = Readonly<Record<string, string | number | null>>

/** A source: data about itself, and a function that reads a resource page by page to its proved end. */
export interface Source {
  /** As in event-sync.yaml. */
  readonly type: string
  readonly resources: readonly Resource[]
  /** Where it lives: no request, redirect or link leads anywhere else. */
  readonly within: URL
  /** Credits that a request takes of those that the source grants. */
  readonly requestCost: number
  /**
   * @param save told after each page where reading could go on
   * @param from such a place; null to begin at the beginning
   * @throws SourceMovedError where the source is not as it was at that place
   */
  readToEnd(
    resource: Resource,
    readPage: ReadPage,
    save: (place: Place) => Promise<void>,
    from: Place | null,
  ): Promise<Ending>
  /** Headers of every request; a source with credentials gets them here. */
  authorization(): Promise<Readonly<Record<string, string>>>
  /** Told that the source refused these headers, so that the next ones are fresh. */
  renewAuthorization(refused: Readonly<Record<string, string>>): void
}

/** The source changed while it was read: what was read is no picture of any one moment. */
export class SourceMovedError extends Error {
  override readonly name = 'SourceMovedError'
  /** Identity of the first element of the page that did not fit; null where there was none. */
  readonly first: string | null

  constructor(message: string, first: string | null = null) {
    super(message)
    this.first = first
  }
}
