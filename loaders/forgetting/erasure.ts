import { createHash } from 'node:crypto'
import type { Content, Db } from '../../sql/tables.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { tablesOf } from '../../transforms/registry/lineage.ts'
import type { Redaction, SuppressionFilter } from '../../transforms/rules/people.ts'
import type { SourceBinding } from '../ledger/binding.ts'

/** Whom to erase, and how they are found in what others say. */
export interface Erasure extends SourceBinding {
  readonly source: AnyTransform
  readonly tokens: ReadonlyMap<string, string>
  readonly addresses: readonly string[]
  readonly filter: SuppressionFilter
  /** Whether ids go from records of others too, where a source is not known to name people. */
  readonly erasesIdMentions: boolean
}

/** An erasure under way, and what it has found so far. */
export interface Erasing extends Erasure {
  readonly transaction: Db
  readonly redaction: Redaction
  readonly log: ErasureLog
}

/** Other sources than that of an integration: it may have been bound to one before, whose records are still staged. */
export interface FormerSources {
  readonly sources: readonly AnyTransform[]
  newToken(): string
}

/** In place of a hash over values of a person: nobody can try values on it. */
export function hashInstead(...parts: readonly string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

/** What of a person was found and erased: rows by table. */
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
    run: (runId: string) => void runs.add(runId),
    /** Packs of the runs from one up to, not including, another hold the person; null: up to the last. */
    span: (from: string, to: string | null) => void spans.set(`${from} ${to}`, { from, to }),
    /** A record of others has the address of the person in a text, which is not ours to change. */
    noteFreeTextMention(): void {
      log.mentions += 1
    },
    /** A record of others has an id of the person where a source is not known to name people. */
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

/** Tables that can hold a value of a person, of which nothing must be left when the person is erased. */
export function tablesOfPeople(sources: readonly AnyTransform[]): readonly string[] {
  return [...sources.flatMap((source) => [...tablesOf(source)]), ...TABLES_OF_SYNC]
}

const TABLES_OF_SYNC: readonly string[] = [
  'sync.changes',
  'sync.decisions',
  'sync.desired_items',
  'sync.forgotten',
  'sync.marks',
  'sync.passwords',
  'sync.platform_items',
  'sync.readings',
  'sync.requests',
  'sync.superseded_manifests',
  'sync.suppressed',
  'sync.unseen',
  'sync.unstaged',
]

export const CONTENTS_OF_PEOPLE = ['speakers', 'attendees'] as const

/** A pattern of `like` for whatever contains a text. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
