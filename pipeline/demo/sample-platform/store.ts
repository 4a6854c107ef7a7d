import { type Content, contents, type Fields } from './contract.ts'
import type { LedgerEntry } from './control-answers.ts'
import type { JournalRecord, Result } from './records.ts'

export interface Item {
  readonly fields: Fields
  readonly passwordHash?: string | undefined
}

/** A key that came before. */
export interface KnownKey {
  readonly sha256: string
  /** Not there where the batch was refused. */
  readonly results?: readonly Result[]
}

/** What the platform holds, in memory, as the journal tells it. */
export interface Store {
  readonly ledger: readonly LedgerEntry[]
  /** The highest that was taken of each integration, and the run that it belongs to. */
  readonly fences: ReadonlyMap<string, { readonly fence: number; readonly run: string }>
  readonly keys: ReadonlyMap<string, KnownKey>
  item(content: Content, uniqueId: string): Item | undefined
  /** In ascending order of their UTF-8 bytes. */
  uniqueIds(content: Content): readonly string[]
  /** Whether removals of that run have come already. */
  hasRemovals(integration: string, run: string): boolean
  /** Does what a line of the journal says; the only way to change anything. */
  take(record: JournalRecord): void
}

export function makeStore(): Store {
  const items: Readonly<Record<Content, Map<string, Item>>> = {
    agenda: new Map(),
    speakers: new Map(),
    attendees: new Map(),
  }
  const ordered = new Map<Content, readonly string[]>()
  const ledger: LedgerEntry[] = []
  const fences = new Map<string, { readonly fence: number; readonly run: string }>()
  const keys = new Map<string, KnownKey>()
  const removing = new Set<string>()

  function takeBatch(record: Extract<JournalRecord, { readonly record: 'batch' }>): void {
    const { integration, run, key, fence } = record
    for (const { fields, passwordHash, ...told } of record.effects) {
      const ofContent = items[told.content]
      if (told.effect === 'removed') ofContent.delete(told.uniqueId)
      if (fields !== undefined) {
        const password = passwordHash ?? ofContent.get(told.uniqueId)?.passwordHash
        ofContent.set(told.uniqueId, { fields, passwordHash: password })
      }
      if (told.effect === 'removed' || told.effect === 'created') ordered.delete(told.content)
      ledger.push({ n: ledger.length + 1, run, key, ...told })
    }
    if (fence >= (fences.get(integration)?.fence ?? 0)) fences.set(integration, { fence, run })
    keys.set(key, { sha256: record.sha256, results: record.results })
    if (record.phase === 'removals') removing.add(`${integration} ${run}`)
  }

  return {
    ledger,
    fences,
    keys,
    item: (content, uniqueId) => items[content].get(uniqueId),
    uniqueIds(content) {
      const known = ordered.get(content)
      if (known !== undefined) return known
      const sorted = [...items[content].keys()].sort(compareBytes)
      ordered.set(content, sorted)
      return sorted
    },
    hasRemovals: (integration, run) => removing.has(`${integration} ${run}`),
    take(record) {
      if (record.record === 'batch') takeBatch(record)
      if (record.record === 'key') keys.set(record.key, { sha256: record.sha256 })
    },
  }
}

/** JavaScript compares UTF-16 units, which puts emoji before `ﬀ`; the contract has bytes. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** Everything that is stored, content by content. */
export function* allItems(store: Store): Generator<readonly [Content, string, Item]> {
  for (const content of contents) {
    for (const uniqueId of store.uniqueIds(content)) {
      const item = store.item(content, uniqueId)
      if (item !== undefined) yield [content, uniqueId, item]
    }
  }
}
