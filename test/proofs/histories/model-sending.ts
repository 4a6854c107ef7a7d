import { isDeepStrictEqual } from 'node:util'
import type { Fields } from '../model/model-items.ts'
import type { Content } from '../model/options.ts'
import type { ModelPlatform, Operation, Result } from './model-platform.ts'

export interface Change extends Operation {
  readonly action: 'create' | 'update' | 'handover' | 'remove'
  readonly isInferred: boolean
  readonly phase: 'freeing' | 'upserts' | 'removals'
  /** Changes with the same group number go in one batch. */
  readonly group: number | null
  /** The reason why the item is removed; null for other changes. */
  readonly reason: string | null
  /** `sent`: the change was sent in a batch whose answer is unknown. */
  state: 'pending' | 'sent' | 'applied' | 'failed' | 'withheld'
  result: Result['result'] | null
  code: string | null
  /** True if a batch with this change was refused; the change is sent again in a batch of its own. */
  isAlone: boolean
  /** True if the change is a handover (an id goes to another person) and the previous person was removed. */
  freed: boolean
}

interface Batch {
  readonly key: string
  readonly phase: Change['phase']
  readonly changes: readonly Change[]
}

/** The changes of a plan, and the batch whose answer is unknown. */
export interface Outbox {
  readonly run: string
  readonly changes: readonly Change[]
  batches: number
  unanswered: Batch | null
}

/** The items that are on the platform according to the integration. */
export interface Knowledge {
  readonly items: ReadonlyMap<Content, Map<string, Fields>>
  /** A function that is called after each change of `items`. */
  moved(): void
}

/**
 * The result of sending. `unclear`: three answers in a row did not contain a result for each operation.
 * Source: the contract, "Results".
 */
export type Sent = 'landed' | 'silence' | 'unclear'

const MOST_UNCLEAR = 3

/**
 * Sends the unsent changes of a plan in three steps: removals that free an address, upserts in their order,
 * all other removals.
 *
 * Source: transforms/RULES.md#r48; `loaders/platform/contract/README.md`; loaders/README.md#the-outbox.
 */
export function send(
  outbox: Outbox,
  platform: ModelPlatform,
  knowledge: Knowledge,
  { batchSize, maxShare }: { readonly batchSize: number; readonly maxShare: number },
): Sent {
  let unclear = 0
  for (const phase of ['freeing', 'upserts', 'removals'] as const) {
    if (phase === 'removals') withholdInferred(outbox, maxShare)
    for (;;) {
      const batch = outbox.unanswered ?? nextBatch(outbox, phase, batchSize)
      if (batch === null) break
      const heard = deliver(outbox, batch, platform, knowledge)
      if (heard === 'silence') return 'silence'
      unclear = heard === 'unclear' ? unclear + 1 : 0
      if (unclear === MOST_UNCLEAR) return 'unclear'
    }
  }
  return 'landed'
}

const isRemoval = ({ action }: Change) => action === 'remove'

/**
 * Withholds the inferred removals (no record asks for them) of contents with too many rejected upserts.
 * Source: loaders/README.md#the-outbox.
 */
function withholdInferred({ changes }: Outbox, maxShare: number): void {
  for (const change of changes) {
    const upserts = changes.filter((one) => one.content === change.content && !isRemoval(one))
    const rejected = upserts.filter(({ state }) => state === 'failed').length
    const isByRule = change.reason?.startsWith('excluded_by_rule:') === true
    const isInDoubt = change.isInferred && !isByRule && rejected > maxShare * upserts.length
    if (change.state === 'pending' && isRemoval(change) && isInDoubt) change.state = 'withheld'
  }
}

function nextBatch(outbox: Outbox, phase: Change['phase'], batchSize: number): Outbox['unanswered'] {
  const isOfPhase = (change: Change) =>
    phase === 'freeing'
      ? (change.phase === phase || change.action === 'handover') && !change.freed
      : change.phase === phase
  const pending = outbox.changes.filter((change) => change.state === 'pending' && isOfPhase(change))
  const alone = pending.find(({ isAlone }) => isAlone)
  const changes = alone === undefined ? firstThatFit(pending, batchSize) : [alone]
  if (changes.length === 0) return null
  outbox.batches += 1
  for (const change of changes) change.state = 'sent'
  outbox.unanswered = { key: `${outbox.run}-${outbox.batches}`, phase, changes }
  return outbox.unanswered
}

/** Returns the first `batchSize` changes, or fewer if the batch would split a group. */
function firstThatFit(pending: readonly Change[], batchSize: number): readonly Change[] {
  const [first, next] = [pending[0], pending[batchSize]]
  if (next === undefined || next.group === null || next.group === first?.group)
    return pending.slice(0, batchSize)
  return pending.slice(
    0,
    Math.min(
      batchSize,
      pending.findIndex(({ group }) => group === next.group),
    ),
  )
}

function deliver(
  outbox: Outbox,
  { key, phase, changes }: Batch,
  platform: ModelPlatform,
  knowledge: Knowledge,
): 'clear' | 'unclear' | 'silence' {
  const operations = phase === 'freeing' ? changes.map((change) => ({ ...change, fields: null })) : changes
  const answer = platform.post(key, operations)
  if (answer.is === 'silence') return 'silence'
  if (answer.is === 'refusal') {
    outbox.unanswered = null
    const [only] = changes
    if (changes.length > 1) {
      for (const change of changes) Object.assign(change, { state: 'pending', isAlone: true })
    } else if (only !== undefined) {
      Object.assign(only, { state: 'failed', result: 'failed', code: answer.code })
    }
    return 'clear'
  }
  const results = answer.fits ? answer.results : readBack(operations, platform)
  if (results === null) return 'silence'
  outbox.unanswered = null
  record(changes, phase, results, knowledge)
  return answer.fits ? 'clear' : 'unclear'
}

/**
 * Derives the result of each change from the items on the platform. Returns null if the platform's items
 * cannot be read.
 */
function readBack(changes: readonly Operation[], platform: ModelPlatform): readonly Result[] | null {
  const contents = [...new Set(changes.map(({ content }) => content))]
  const lists = new Map(contents.map((content) => [content, platform.list(content)]))
  if ([...lists.values()].includes(null)) return null
  return changes.map(({ seq, content, uniqueId, fields }): Result => {
    const there = lists.get(content)?.get(uniqueId) ?? null
    if (!isDeepStrictEqual(there, fields)) return { seq, result: 'failed', code: 'not_found_when_read_back' }
    return { seq, result: fields === null ? 'removed' : 'unchanged', code: 'read_back' }
  })
}

function record(
  changes: readonly Change[],
  phase: Change['phase'],
  results: readonly Result[],
  knowledge: Knowledge,
): void {
  for (const change of changes) {
    const { result = 'failed', code = null } = results.find(({ seq }) => seq === change.seq) ?? {}
    if (phase === 'freeing' && change.action === 'handover' && result !== 'failed') {
      Object.assign(change, { state: 'pending', freed: true, isAlone: false })
      knowledge.items.get(change.content)?.delete(change.uniqueId)
      continue
    }
    Object.assign(change, { state: result === 'failed' ? 'failed' : 'applied', result, code })
    if (result === 'failed') continue
    const known = knowledge.items.get(change.content)
    if (change.fields === null) known?.delete(change.uniqueId)
    else known?.set(change.uniqueId, change.fields)
  }
  if (results.some(({ result }) => result !== 'failed')) knowledge.moved()
}
