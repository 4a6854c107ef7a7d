import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../../transforms/rules/values.ts'
import { type Batch, type Content, contents, type Fields } from './contract.ts'

export interface Item {
  readonly fields: Fields
  /** The password with which the item was created, stored as `salt:hash`. */
  readonly passwordHash?: string
}

export interface Result {
  readonly seq: number
  readonly status: 'created' | 'updated' | 'unchanged' | 'removed' | 'failed'
  readonly code?: string
  readonly retryable?: boolean
}

/** The effect of one operation on an item; `fields` are the fields of the created or updated item. */
export interface Effect extends Partial<Item> {
  readonly seq: number
  readonly op: 'upsert' | 'remove'
  readonly content: Content
  readonly uniqueId: string
  readonly effect: 'created' | 'updated' | 'unchanged' | 'removed'
  /** True if the operation contained a password; the platform uses a password only to create an item. */
  readonly passwordGiven: boolean
  /** True if the platform shall put that password into the welcome e-mail. */
  readonly storeEncryptedPassword: boolean
}

/**
 * One effect in the platform's ledger; `n` numbers the effects from 1, in the order in which they happened.
 */
export interface LedgerEntry extends Omit<Effect, keyof Item> {
  readonly n: number
  readonly run: string
  readonly key: string
}

/**
 * A line of the journal: a batch that got results, or the idempotency key of a refused batch. The key of a
 * batch may be used again only with the same bytes, even if the batch was refused.
 */
export type JournalRecord =
  | (Pick<Batch, 'integration' | 'run' | 'fence' | 'phase'> & {
      readonly record: 'batch'
      readonly key: string
      /** SHA-256 of the bytes of the request's body. */
      readonly sha256: string
      readonly results: readonly Result[]
      readonly effects: readonly Effect[]
    })
  | { readonly record: 'key'; readonly key: string; readonly sha256: string }

/** A reference to an item that does not exist. After a run the platform should have no such reference. */
export interface DanglingReference {
  readonly content: Content
  readonly uniqueId: string
  readonly field: string
  /** Unique ID of the missing item. */
  readonly missing: string
}

/** All data of the sample platform. */
export interface Store {
  readonly ledger: readonly LedgerEntry[]
  /**
   * The highest fence number of each integration, and the run that sent it. Batches with a lower fence number
   * are refused.
   */
  readonly fences: ReadonlyMap<string, { readonly fence: number; readonly run: string }>
  /** The idempotency keys of earlier batches. A key has no results if its batch was refused. */
  readonly keys: ReadonlyMap<string, { readonly sha256: string; readonly results?: readonly Result[] }>
  item(content: Content, uniqueId: string): Item | undefined
  /** Returns items in ascending order of the UTF-8 bytes of their unique IDs. */
  items(content: Content): readonly (readonly [uniqueId: string, item: Item])[]
  /** Writes a record to the journal, then applies the record. No other function changes the state. */
  commit(record: JournalRecord): void
}

/** Opens the store in a folder, with all records that were committed to that folder before. */
export function openStore(folder: string): Store {
  mkdirSync(folder, { recursive: true })
  const journal = join(folder, 'journal.jsonl')
  const items: Readonly<Record<Content, Map<string, Item>>> = {
    agenda: new Map(),
    speakers: new Map(),
    attendees: new Map(),
  }
  const ordered = new Map<Content, readonly string[]>()
  const ledger: LedgerEntry[] = []
  const fences = new Map<string, { readonly fence: number; readonly run: string }>()
  const keys = new Map<string, { readonly sha256: string; readonly results?: readonly Result[] }>()

  function take(record: JournalRecord): void {
    if (record.record === 'key') keys.set(record.key, { sha256: record.sha256 })
    if (record.record !== 'batch') return
    const { integration, run, key, fence } = record
    for (const { fields, passwordHash, ...effect } of record.effects) {
      const ofContent = items[effect.content]
      if (effect.effect === 'removed') ofContent.delete(effect.uniqueId)
      const hash = passwordHash ?? ofContent.get(effect.uniqueId)?.passwordHash
      if (fields !== undefined)
        ofContent.set(effect.uniqueId, hash ? { fields, passwordHash: hash } : { fields })
      if (effect.effect === 'removed' || effect.effect === 'created') ordered.delete(effect.content)
      ledger.push({ n: ledger.length + 1, run, key, ...effect })
    }
    if (fence >= (fences.get(integration)?.fence ?? 0)) fences.set(integration, { fence, run })
    keys.set(key, { sha256: record.sha256, results: record.results })
  }

  const written = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').slice(0, -1) : []
  for (const line of written) take(parseJson(line) as JournalRecord)
  return {
    ledger,
    fences,
    keys,
    item: (content, uniqueId) => items[content].get(uniqueId),
    items(content) {
      const sorted = ordered.get(content) ?? [...items[content].keys()].sort(compareBytes)
      ordered.set(content, sorted)
      return sorted.map((uniqueId) => [uniqueId, items[content].get(uniqueId) ?? { fields: {} }])
    },
    commit(record) {
      appendFileSync(journal, `${JSON.stringify(record)}\n`)
      take(record)
    },
  }
}

/**
 * Compares texts by their UTF-8 bytes, as the contract requires. JavaScript compares UTF-16 units, so it
 * sorts emoji before `ﬀ`.
 */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The content whose unique IDs a field contains, by content and field. */
const TARGETS: Readonly<Record<Content, Readonly<Record<string, Content>>>> = {
  agenda: { speakerIds: 'speakers' },
  speakers: { sessionIds: 'agenda', attendeeId: 'attendees' },
  attendees: { personalAgenda: 'agenda' },
}

export function danglingReferences(store: Store): readonly DanglingReference[] {
  return contents.flatMap((content) =>
    store
      .items(content)
      .flatMap(([uniqueId, { fields }]) =>
        Object.entries(TARGETS[content]).flatMap(([field, target]) =>
          [fields[field] ?? []]
            .flat()
            .flatMap((missing) =>
              typeof missing === 'string' && store.item(target, missing) === undefined
                ? [{ content, uniqueId, field, missing }]
                : [],
            ),
        ),
      ),
  )
}
