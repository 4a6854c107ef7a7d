import { createHash } from 'node:crypto'
import type { Content, Db } from '../../sql/tables.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import type { Redaction, SuppressionFilter } from '../../transforms/rules/people.ts'
import type { SourceBinding } from '../ledger/binding.ts'

/** The person to erase, and the means to find the person in other records. */
export interface Erasure extends SourceBinding {
  readonly source: AnyTransform
  readonly tokens: ReadonlyMap<string, string>
  readonly addresses: readonly string[]
  readonly filter: SuppressionFilter
  /** True if ids are also erased where they are under JSON keys that are not known to name people. */
  readonly erasesIdMentions: boolean
  /**
   * Sources, other than `source`, that the integration may have read earlier. Records of these former sources
   * are still in the database.
   */
  readonly formerSources: readonly AnyTransform[]
  newToken(): string
}

/** An erasure in progress, with a log of what it has found until now. */
export interface Erasing extends Erasure {
  readonly transaction: Db
  readonly redaction: Redaction
  readonly log: ErasureLog
}

/** A table with data of people or of runs, and what `forget` and `purge` do with its rows. */
export interface Place {
  readonly table: string
  /**
   * Column with the id of the person to whom a row belongs; left out if `forget` finds the rows in another
   * way.
   */
  readonly key?: string
  /** Column with the ids of all people whom a row names. */
  readonly names?: string
  /**
   * Restricts `key` to rows of people. `resource` means rows of the source's resource of people, and
   * `content` means rows of speakers and attendees. `among` is left out if all rows of the table belong to
   * people.
   */
  readonly among?: 'resource' | 'content'
  /**
   * Column with the run to which a row belongs, or with the run that ended the row's version. `run` is left
   * out if rows do not belong to runs.
   */
  readonly run?: 'run_id' | 'valid_to_run'
  /**
   * Column of `sync.runs` that names an earlier run whose rows in this table are also valid for the later
   * run. `purge` keeps the rows of the earlier run for as long as it keeps a run that names the earlier run.
   */
  readonly sharedBy?: 'figures_of' | 'answers_of'
  /** True if packs show personal values from rows of this table. */
  readonly isInPacks?: boolean
  /** The steps of `forget` for this table, in the order in which they run. */
  readonly forget: readonly Step[] | KeptOfPeople
  /**
   * Name of the class of data under which `purge` counts and deletes these rows; an object if `purge` keeps
   * the rows.
   */
  readonly purge: string | Kept
}

/** One operation that `forget` performs on a table. */
export interface Step {
  /** Word for the documentation, such as `rewritten` or `deleted`. */
  readonly does: string
  /** Columns from which the step erases everything about the person, including hashes of values. */
  readonly columns: readonly string[]
  erase(erasing: Erasing, place: Place): Promise<void>
  /** Erases from an item those texts that were erased from the item's record. */
  eraseLost?(erasing: Erasing, place: Place, loss: Loss): Promise<void>
}

export interface Kept {
  readonly why: string
}

/**
 * Columns that say to which runs a row belongs. A table has either `run_id`, or both `valid_from_run` and
 * `valid_to_run`.
 */
export interface RunsOfRow {
  readonly run_id: string
  readonly valid_from_run: string
  readonly valid_to_run: string | null
}

interface KeptOfPeople extends Kept {
  /** Columns whose personal values `forget` keeps. */
  readonly columns: readonly string[]
  /**
   * True if the personal values are deleted later. If values are deleted later, old row versions of the table
   * must also be removed from the database's files.
   */
  readonly isTemporary?: boolean
}

/**
 * Makes a value that replaces a hash of personal values. Without the replacement, someone could test guessed
 * values against the hash.
 */
export function hashInstead(...parts: readonly string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

/** The person's rows that were found and erased, by table, and the runs whose packs show these rows. */
export type ErasureLog = ReturnType<typeof makeErasureLog>

/** Texts that were erased from the record of an item, collected over all versions of the record. */
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
    /** Counts an erased row once, even if several steps find the row. */
    row(table: string, key: readonly unknown[]): void {
      const one = JSON.stringify([table, key])
      if (found.has(one)) return
      found.add(one)
      add(table, 1)
    },
    /**
     * Notes the runs whose packs show a given row of the person. A row with history belongs to all runs from
     * its first run up to the run that ended it; the ending run is not included.
     */
    runsOf({ run, isInPacks = false }: Place, row: RunsOfRow): void {
      if (!isInPacks) return
      const { run_id, valid_from_run: from, valid_to_run: to } = row
      if (run === 'run_id') runs.add(run_id)
      else spans.set(`${from} ${to}`, { from, to })
    },
    /** Notes that a text in another record contains the person's address or id; the text is not changed. */
    noteFreeTextMention(): void {
      log.mentions += 1
    },
    /** Notes that another record has the person's id under a JSON key that is not known to name people. */
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

/** A run id that sorts before every other run id. */
export const NO_RUN = '00000000-0000-0000-0000-000000000000'

/** Returns a `like` pattern that matches values containing the given text. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
