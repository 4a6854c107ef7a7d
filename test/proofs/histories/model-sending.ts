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
  /** The reason of a removal. */
  readonly reason: string | null
  /** `sent`: in a batch without a known answer. */
  state: 'pending' | 'sent' | 'applied' | 'failed' | 'withheld'
  result: Result['result'] | null
  code: string | null
  /** True after a batch with this change was refused: it is then sent alone. */
  isAlone: boolean
  /** For a handover: true if the previous person was removed. */
  freed: boolean
}

interface Batch {
  readonly key: string
  readonly phase: Change['phase']
  readonly changes: readonly Change[]
}

/** The changes of a plan, and the batch without a known answer. */
export interface Outbox {
  readonly run: string
  readonly changes: readonly Change[]
  batches: number
  unanswered: Batch | null
}

/** The items of the platform according to the integration. */
export interface Knowledge {
  readonly items: ReadonlyMap<Content, Map<string, Fields>>
  /** Called after each change of the items. */
  moved(): void
}

/**
 * `unclear`: three answers in a row did not report the result of each operation. Source: the contract,
 * "Results".
 */
export type Sent = 'landed' | 'silence' | 'unclear'

const MOST_UNCLEAR = 3

/**
 * Sends the rest of a plan: removals that free an address, upserts in their order, then all other removals.
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
 * Withholds removals that no record states, for contents with too many rejected upserts. Source:
 * loaders/README.md#the-outbox.
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

/** Takes `batchSize` changes; fewer if the batch would split a group. */
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

/** Works out the result of each change from the platform's items; null if they cannot be read. */
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
