import { createHash } from 'node:crypto'
import type { Content, Db } from '../../sql/tables.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import type { Redaction, SuppressionFilter } from '../../transforms/rules/people.ts'
import type { SourceBinding } from '../ledger/binding.ts'

/** The person to erase, and how to find the person in other records. */
export interface Erasure extends SourceBinding {
  readonly source: AnyTransform
  readonly tokens: ReadonlyMap<string, string>
  readonly addresses: readonly string[]
  readonly filter: SuppressionFilter
  /** True if ids are also erased from keys of documents that are not known to name people. */
  readonly erasesIdMentions: boolean
  /**
   * Sources other than `source` that the integration may have read earlier. Their records are still staged.
   */
  readonly formerSources: readonly AnyTransform[]
  newToken(): string
}

/** An erasure in progress, with a log of what it has found so far. */
export interface Erasing extends Erasure {
  readonly transaction: Db
  readonly redaction: Redaction
  readonly log: ErasureLog
}

/** A table with data of people or of runs. */
export interface Place {
  readonly table: string
  /** Column with the id of the person to whom a row belongs; left out if rows are found in another way. */
  readonly key?: string
  /** Column with ids of the people whom a row names. */
  readonly names?: string
  /**
   * Limits `key` to rows of people: those of the source's resource of people, or those of the contents of
   * people. Left out if all rows are of people.
   */
  readonly among?: 'resource' | 'content'
  /** Column with the run of a row, or with the run that ended it; left out if rows do not belong to runs. */
  readonly run?: 'run_id' | 'valid_to_run'
  /**
   * Column of `sync.runs` that names an earlier run with the same rows in this table. `purge` keeps the rows
   * of the earlier run as long as it keeps a run that names it.
   */
  readonly sharedBy?: 'figures_of'
  /** True if packs show values of the person from rows of this table. */
  readonly isInPacks?: boolean
  /** The steps of `forget`, in this order. */
  readonly forget: readonly Step[] | KeptOfPeople
  /** Name of the class of data in which `purge` counts and deletes these rows; an object if it keeps them. */
  readonly purge: string | Kept
}

/** One thing that `forget` does to a table. */
export interface Step {
  /** Description for the documentation: `rewritten`, `deleted`. */
  readonly does: string
  /** Columns from which it erases everything about the person, including hashes of values. */
  readonly columns: readonly string[]
  erase(erasing: Erasing, place: Place): Promise<void>
  /** Erases from an item the texts that were erased from its record. */
  eraseLost?(erasing: Erasing, place: Place, loss: Loss): Promise<void>
}

export interface Kept {
  readonly why: string
}

/** Columns by which a row belongs to runs. A table has either `run_id` or the other two. */
export interface RunsOfRow {
  readonly run_id: string
  readonly valid_from_run: string
  readonly valid_to_run: string | null
}

interface KeptOfPeople extends Kept {
  /** Columns that hold values of people and are kept. */
  readonly columns: readonly string[]
  /**
   * True if the values are deleted later. Then old rows of the table must not stay in the database's files.
   */
  readonly isTemporary?: boolean
}

/**
 * Makes a value that replaces a hash of a person's values, so that no one can test guessed values against it.
 */
export function hashInstead(...parts: readonly string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

/** The rows of a person that were found and erased, by table, and the runs whose packs show them. */
export type ErasureLog = ReturnType<typeof makeErasureLog>

/** Texts that were erased from the record of an item, in all its versions. */
interface Loss {
  readonly content: Content
  readonly id: string
  readonly texts: ReadonlySet<string>
}

export function makeErasureLog() {
  const rowsByTable = new Map<string, number>()
  const runs = new Set<string>()
  const found = new Set<string>()
  const losses = new Map<string, Loss>()
  const spans = new Map<string, { readonly from: string; readonly to: string | null }>()
  function add(table: string, rows: number | bigint): void {
    if (Number(rows) > 0) rowsByTable.set(table, (rowsByTable.get(table) ?? 0) + Number(rows))
  }
  const log = {
    add,
    mentions: 0,
    idMentions: 0,
    /** Counts a row once, even if it is found several times. */
    row(table: string, key: readonly unknown[]): void {
      const one = JSON.stringify([table, key])
      if (found.has(one)) return
      found.add(one)
      add(table, 1)
    },
    /**
     * Notes the runs whose packs show a row of the person. For a row with history these are all runs from its
     * first run up to, but not including, the run that ended it.
     */
    runsOf({ run, isInPacks = false }: Place, row: RunsOfRow): void {
      if (!isInPacks) return
      const { run_id, valid_from_run: from, valid_to_run: to } = row
      if (run === 'run_id') runs.add(run_id)
      else spans.set(`${from} ${to}`, { from, to })
    },
    /** Notes that another record has the person's address or id inside a text, which is not changed. */
    noteFreeTextMention(): void {
      log.mentions += 1
    },
    /**
     * Notes that the document of another record has the person's id under a key that is not known to name
     * people.
     */
    noteIdMention(): void {
      log.idMentions += 1
    },
    lost(content: Content, id: string, texts: ReadonlySet<string>): void {
      const key = `${content} ${id}`
      const before = losses.get(key)?.texts ?? []
      losses.set(key, { content, id, texts: new Set([...before, ...texts]) })
    },
    get losses(): readonly Loss[] {
      return [...losses.values()]
    },
    rowsByTable: rowsByTable as ReadonlyMap<string, number>,
    runs: runs as ReadonlySet<string>,
    get spans() {
      return [...spans.values()]
    },
  }
  return log
}

export const CONTENTS_OF_PEOPLE = ['speakers', 'attendees'] as const

/** A run id that is less than any other. */
export const NO_RUN = '00000000-0000-0000-0000-000000000000'

/** Returns a `like` pattern for values that contain a text. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
