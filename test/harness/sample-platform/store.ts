import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../../transforms/rules/values.ts'
import { type Batch, type Content, contents, type Fields } from './contract.ts'

export interface Item {
  readonly fields: Fields
  /** `salt:hash` of the password with which it was created. */
  readonly passwordHash?: string
}

export interface Result {
  readonly seq: number
  readonly status: 'created' | 'updated' | 'unchanged' | 'removed' | 'failed'
  readonly code?: string
  readonly retryable?: boolean
}

/** The effect of one operation; `fields` are those of the created or updated item. */
export interface Effect extends Partial<Item> {
  readonly seq: number
  readonly op: 'upsert' | 'remove'
  readonly content: Content
  readonly uniqueId: string
  readonly effect: 'created' | 'updated' | 'unchanged' | 'removed'
  /** True if the operation had a password; only a creation uses it. */
  readonly passwordGiven: boolean
  /** True if the welcome email is to contain that password. */
  readonly storeEncryptedPassword: boolean
}

/** One effect; `n` counts effects since the storage was created: 1, 2, 3, … */
export interface LedgerEntry extends Omit<Effect, keyof Item> {
  readonly n: number
  readonly run: string
  readonly key: string
}

/**
 * A batch that was answered with results, or the key of a refused batch: a key belongs to its bytes in both
 * cases.
 */
export type JournalRecord =
  | (Pick<Batch, 'integration' | 'run' | 'fence' | 'phase'> & {
      readonly record: 'batch'
      readonly key: string
      /** Hash of the body's bytes. */
      readonly sha256: string
      readonly results: readonly Result[]
      readonly effects: readonly Effect[]
    })
  | { readonly record: 'key'; readonly key: string; readonly sha256: string }

/** A reference to an item that does not exist; after a run there should be none. */
export interface DanglingReference {
  readonly content: Content
  readonly uniqueId: string
  readonly field: string
  /** Unique ID of the missing item. */
  readonly missing: string
}

/** The state of the platform. */
export interface Store {
  readonly ledger: readonly LedgerEntry[]
  /** The highest fence of each integration, and its run. */
  readonly fences: ReadonlyMap<string, { readonly fence: number; readonly run: string }>
  /** Keys that came before; without results if the batch was refused. */
  readonly keys: ReadonlyMap<string, { readonly sha256: string; readonly results?: readonly Result[] }>
  item(content: Content, uniqueId: string): Item | undefined
  /** Returns items in ascending order of the UTF-8 bytes of their unique IDs. */
  items(content: Content): readonly (readonly [uniqueId: string, item: Item])[]
  /** Writes a record to the journal, then applies it. Only this changes the state. */
  commit(record: JournalRecord): void
}

/** Opens the store of a folder, with everything that was committed there before. */
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
 * Compares by UTF-8 bytes, as the contract says. JavaScript compares UTF-16 units, which puts emoji before
 * `ﬀ`.
 */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** Content to which the unique IDs of a field refer. */
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
