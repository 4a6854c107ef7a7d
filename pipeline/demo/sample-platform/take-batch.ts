import { createHash } from 'node:crypto'
import type { ArmedFaults } from './armed-faults.ts'
import { type Batch, type Operation, readBatch } from './contract.ts'
import type { JournalRecord, Result } from './records.ts'
import { type Reply, refusal } from './reply.ts'
import type { Store } from './store.ts'
import { tryOperations } from './try-operations.ts'

/** Where a batch goes. */
export interface Desk {
  readonly store: Store
  readonly faults: ArmedFaults
  /** Stores a record for good, on disk and in memory. */
  commit(record: JournalRecord): void
  /** Says a plain sentence to whoever runs the platform. */
  tell(sentence: string): void
}

/** What became of a batch: results, or a refusal and no effect. */
export type Taken = { readonly results: readonly Result[] } | { readonly refused: Reply }

/**
 * Decides on a batch and stores its effects, in one go: no other request comes between.
 *
 * A key that was answered is answered again before anything else is looked at, so a sender that asks again
 * learns what became of its batch even when a newer run has written since.
 */
export function takeBatch(desk: Desk, key: string, bytes: Uint8Array): Taken {
  const { store, faults, commit, tell } = desk
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const known = store.keys.get(key)
  const isKnown = known !== undefined && faults.take(['forgetsKeys']) === undefined
  if (isKnown && known.sha256 !== sha256) {
    tell('a batch was refused: its key came with other bytes before')
    return { refused: refusal(409, 'key_reused') }
  }
  if (isKnown && known.results !== undefined) return { results: known.results }

  const admitted = admit(desk, bytes)
  if ('refused' in admitted) {
    if (known === undefined) commit({ record: 'key', key, sha256 })
    return admitted
  }

  const { integration, run, fence, phase, operations } = admitted.batch
  const failures = faults.takeAll('failOperation', (fault) => operations.some(isThatOf(fault)))
  const tried = tryOperations(operations, store, (operation) =>
    failures.find((fault) => isThatOf(fault)(operation)),
  )
  if (faults.take(['acknowledgesWithoutStoring'])) return { results: tried.results }
  const first = tried.effects.find(({ effect }) => effect !== 'unchanged')
  const lost = first !== undefined && faults.take(['losesOneOperation']) ? first : undefined
  const effects = tried.effects.filter((effect) => effect !== lost)
  commit({ record: 'batch', integration, run, fence, phase, key, sha256, results: tried.results, effects })
  return { results: tried.results }
}

function admit(desk: Desk, bytes: Uint8Array): { readonly batch: Batch } | { readonly refused: Reply } {
  const read = readBatch(bytes)
  if ('fault' in read) {
    desk.tell(`a batch was refused: ${read.fault}`)
    return { refused: refusal(400, 'invalid') }
  }
  const refused = refusalOf(read.batch, desk)
  return refused === null ? read : { refused }
}

/** Why a batch that is well formed is refused whole all the same. */
function refusalOf(batch: Batch, { store, faults, tell }: Desk): Reply | null {
  const { integration, run, fence, phase, operations } = batch
  const highest = store.fences.get(integration)
  const isStale =
    highest !== undefined && (fence < highest.fence || (fence === highest.fence && run !== highest.run))
  if (isStale && faults.take(['ignoresFences']) === undefined) {
    tell(
      `a batch of ${integration} was refused: fence ${fence}, when ${highest.fence} was taken of another run`,
    )
    return refusal(409, 'stale_fence', { fence: highest.fence })
  }
  if (phase === 'upserts' && store.hasRemovals(integration, run)) {
    tell(`a batch of ${integration} was refused: upserts after the first removal of run ${run}`)
    return refusal(422, 'upserts_after_removals')
  }
  const ordered = faults.take(['refuseBatch'], (fault) => operations.some(isThatOf(fault)))
  return ordered === undefined ? null : refusal(ordered.status, ordered.error)
}

function isThatOf(named: {
  readonly uniqueId: string
  readonly content?: string | undefined
}): (operation: Operation) => boolean {
  return ({ uniqueId, content }) => uniqueId === named.uniqueId && (named.content ?? content) === content
}
