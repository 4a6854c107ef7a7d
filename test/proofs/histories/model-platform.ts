import { isDeepStrictEqual } from 'node:util'
import type { FaultOrder } from '../../harness/sample-platform/faults.ts'
import type { Fields } from '../model/model-items.ts'
import type { Content } from '../model/options.ts'

export interface Operation {
  readonly seq: number
  readonly content: Content
  readonly uniqueId: string
  /** Null for a removal. */
  readonly fields: Fields | null
}

export type EffectName = 'created' | 'updated' | 'unchanged' | 'removed'

/** One creation, update or removal in the platform's own ledger. */
export interface Effect {
  readonly seq: number
  readonly content: Content
  readonly uniqueId: string
  readonly effect: EffectName
}

export interface Result {
  readonly seq: number
  readonly result: EffectName | 'failed'
  readonly code: string | null
}

/**
 * What a sender gets for a batch: results, with a flag if they fit the batch; a refusal of the whole batch;
 * or no answer, even after all retries.
 */
export type Answer =
  | { readonly is: 'results'; readonly results: readonly Result[]; readonly fits: boolean }
  | { readonly is: 'refusal'; readonly code: string }
  | { readonly is: 'silence' }

/**
 * The model of a platform. The modelled platform keeps the contract, except for the faults that a test
 * ordered.
 */
export interface ModelPlatform {
  readonly items: ReadonlyMap<Content, Map<string, Fields>>
  readonly ledger: readonly Effect[]
  /** Replaces the faults that a test ordered. */
  misbehave(orders: readonly FaultOrder[]): void
  post(key: string, batch: readonly Operation[]): Answer
  /** Returns the highest fence number that the platform has accepted. */
  fence(): number
  /** Sets the fence number of the following batches. */
  offer(fence: number): void
  /** @returns the items of a content; null if the platform does not answer */
  list(content: Content): ReadonlyMap<string, Fields> | null
}

/** Number of tries of a request: more than the number of requests that a temporary fault affects. */
const MOST_TRIES = 8
const NOT_FITTING = ['omitsAResult', 'repeatsAResult', 'addsAResult']

function addressOf(fields: Fields): string {
  return String(fields.emailAddress).toLowerCase()
}

interface Armed {
  readonly order: FaultOrder
  skip: number
  count: number | 'always'
}

/** Source: `loaders/platform/contract/README.md`. */
export function makeModelPlatform(hasUniqueAddresses: boolean): ModelPlatform {
  const items = new Map<Content, Map<string, Fields>>(
    (['agenda', 'speakers', 'attendees'] as const).map((content) => [content, new Map()]),
  )
  const ledger: Effect[] = []
  const answered = new Map<string, readonly Result[]>()
  let armed: readonly Armed[] = []
  let highest = 0
  let offered = 0

  /** Returns true if the fault affects this request. Each call increases the fault's count of requests. */
  function isTurnOf(one: Armed): boolean {
    if (one.count === 0) return false
    if (one.skip > 0) {
      one.skip -= 1
      return false
    }
    if (one.count !== 'always') one.count -= 1
    return true
  }
  /**
   * Returns the first of these faults that affects the request. Faults after the returned fault do not count
   * the request.
   */
  function due(names: readonly string[], concerns: (order: FaultOrder) => boolean = () => true) {
    return armed.find((one) => names.includes(one.order.fault) && concerns(one.order) && isTurnOf(one))
  }
  const on = (what: 'batches' | 'items') => (order: FaultOrder) =>
    ('on' in order ? (order.on ?? 'batches') : 'batches') === what
  const failsFirst = (what: 'batches' | 'items') =>
    due(['rateLimit', 'failBeforeCommit'], on(what)) !== undefined

  function take(key: string, batch: readonly Operation[]): readonly Result[] | string {
    const known = answered.get(key)
    if (known !== undefined) return known
    const concernsOneOf = (operations: readonly Operation[]) => (order: FaultOrder) =>
      operations.some(
        ({ content, uniqueId }) =>
          'uniqueId' in order && order.uniqueId === uniqueId && (order.content ?? content) === content,
      )
    const refused = due(['refuseBatch'], concernsOneOf(batch))
    if (refused !== undefined) return 'error' in refused.order ? (refused.order.error ?? '') : ''
    const failing = armed.filter(
      (one) => one.order.fault === 'failOperation' && concernsOneOf(batch)(one.order) && isTurnOf(one),
    )
    const fails = (operation: Operation) => failing.some(({ order }) => concernsOneOf([operation])(order))
    const taken = hasUniqueAddresses ? findTaken(batch.filter((one) => !fails(one))) : new Set<Operation>()
    const results = batch.map((operation): Result => {
      if (taken.has(operation)) return { seq: operation.seq, result: 'failed', code: 'email_taken' }
      const why = failing.find(({ order }) => concernsOneOf([operation])(order))
      if (why !== undefined) {
        const code = 'code' in why.order ? (why.order.code ?? null) : null
        return { seq: operation.seq, result: 'failed', code }
      }
      const effect = doIt(operation)
      ledger.push({ seq: operation.seq, content: operation.content, uniqueId: operation.uniqueId, effect })
      return { seq: operation.seq, result: effect, code: null }
    })
    answered.set(key, results)
    highest = Math.max(highest, offered)
    return results
  }

  /** Finds the operations that would lead to two attendees with the same address. */
  function findTaken(standing: readonly Operation[]): ReadonlySet<Operation> {
    const ours = standing.filter(({ content }) => content === 'attendees')
    const holders = new Map<string, string>()
    const touched = new Set(ours.map(({ uniqueId }) => uniqueId))
    for (const [uniqueId, fields] of items.get('attendees') ?? [])
      if (!touched.has(uniqueId)) holders.set(addressOf(fields), uniqueId)
    const found = ours.filter(({ uniqueId, fields }) => {
      if (fields === null) return false
      const holder = holders.get(addressOf(fields)) ?? uniqueId
      holders.set(addressOf(fields), holder)
      return holder !== uniqueId
    })
    if (found.length === 0) return new Set()
    return new Set([...found, ...findTaken(ours.filter((one) => !found.includes(one)))])
  }

  function doIt({ content, uniqueId, fields }: Operation): EffectName {
    const held = items.get(content) ?? new Map<string, Fields>()
    const before = held.get(uniqueId)
    if (fields === null) {
      held.delete(uniqueId)
      return before === undefined ? 'unchanged' : 'removed'
    }
    held.set(uniqueId, fields)
    if (before === undefined) return 'created'
    return isDeepStrictEqual(before, fields) ? 'unchanged' : 'updated'
  }

  return {
    items,
    ledger,
    misbehave(orders) {
      armed = orders.map((order) => ({ order, skip: order.skip ?? 0, count: order.count ?? 1 }))
    },
    post(key, batch) {
      for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
        if (failsFirst('batches')) continue
        const taken = take(key, batch)
        if (typeof taken === 'string') return { is: 'refusal', code: taken }
        if (due(['failAfterCommit']) !== undefined) continue
        return { is: 'results', results: taken, fits: due(NOT_FITTING) === undefined }
      }
      return { is: 'silence' }
    },
    fence: () => highest,
    offer(fence) {
      offered = fence
    },
    list(content) {
      for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
        if (!failsFirst('items')) return new Map(items.get(content))
      }
      return null
    },
  }
}
