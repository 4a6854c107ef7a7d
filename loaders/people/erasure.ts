import { createHash } from 'node:crypto'
import type { Content, Db } from '../../sql/tables.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import type { Redaction, SuppressionFilter } from '../../transforms/rules/people.ts'
import type { SourceBinding } from '../ledger/binding.ts'

/** Whom to erase, and how they are found in what others say. */
export interface Erasure extends SourceBinding {
  readonly source: AnyTransform
  readonly tokens: ReadonlyMap<string, string>
  readonly addresses: readonly string[]
  readonly filter: SuppressionFilter
  /** True if ids go from records of others too, if a source is not known to name people. */
  readonly erasesIdMentions: boolean
  /** Other sources: the integration may have been bound to one before, whose records are still staged. */
  readonly formerSources: readonly AnyTransform[]
  newToken(): string
}

/** An erasure under way, and what it has found so far. */
export interface Erasing extends Erasure {
  readonly transaction: Db
  readonly redaction: Redaction
  readonly log: ErasureLog
}

/** A table with data of people or of runs. */
export interface Place {
  readonly table: string
  /** Column with the id of the person whose row it is; left out: found otherwise. */
  readonly key?: string
  /** Column with ids of the people whom a row of others names. */
  readonly names?: string
  /** Which of the rows with such an id are of people: those of the source's resource of people, or of the contents of people; left out: all. */
  readonly among?: 'resource' | 'content'
  /** Column by which rows belong to a run: of that run, or not current from that run on; left out: rows of no run. */
  readonly run?: 'run_id' | 'valid_to_run'
  /** Column of `sync.runs` with the earlier run whose rows are those of a run, too: `purge` leaves them while that run is kept. */
  readonly sharedBy?: 'figures_of'
  /** True if packs of those runs show what a row has of the person. */
  readonly isInPacks?: boolean
  /** The steps of `forget`, in this order. */
  readonly forget: readonly Step[] | KeptOfPeople
  /** Class of data with which `purge` deletes rows of old runs. */
  readonly purge: string | Kept
}

/** One thing that `forget` does to a table. */
export interface Step {
  /** As documentation says it: `rewritten`, `deleted`. */
  readonly does: string
  /** Columns in which it leaves nothing of the person, hashes over values included. */
  readonly columns: readonly string[]
  erase(erasing: Erasing, place: Place): Promise<void>
  /** Erases what was read from the record of an item that lost texts with the person. */
  eraseLost?(erasing: Erasing, place: Place, loss: Loss): Promise<void>
}

export interface Kept {
  readonly why: string
}

/** Columns by which a row belongs to runs; a table has the one or the others. */
export interface RunsOfRow {
  readonly run_id: string
  readonly valid_from_run: string
  readonly valid_to_run: string | null
}

interface KeptOfPeople extends Kept {
  /** Columns that hold values of people although their field is not personal. */
  readonly columns: readonly string[]
  /** True if they go later, so that the table is scrubbed, too. */
  readonly isTemporary?: boolean
}

/** In place of a hash over values of a person: nobody can try values on it. */
export function hashInstead(...parts: readonly string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

/** Describes what of a person was found and erased: rows by table. */
export type ErasureLog = ReturnType<typeof makeErasureLog>

/** Texts that the record of an item lost, in all its versions. */
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
    /** One row, which counts once however often it is found. */
    row(table: string, key: readonly unknown[]): void {
      const one = JSON.stringify([table, key])
      if (found.has(one)) return
      found.add(one)
      add(table, 1)
    },
    /** Packs of the runs of a row hold the person, if they show it; of one with history from one run up to, not including, another. */
    runsOf({ run, isInPacks = false }: Place, row: RunsOfRow): void {
      if (!isInPacks) return
      const { run_id, valid_from_run: from, valid_to_run: to } = row
      if (run === 'run_id') runs.add(run_id)
      else spans.set(`${from} ${to}`, { from, to })
    },
    /** A record of others has the address or the id of the person in a text, which is not ours to change. */
    noteFreeTextMention(): void {
      log.mentions += 1
    },
    /** The document of a record of others has an id of the person where a source is not known to name people. */
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

/** Before any run. */
export const NO_RUN = '00000000-0000-0000-0000-000000000000'

/** A `like` pattern for values that contain a text. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
