import { setTimeout as sleep } from 'node:timers/promises'
import { contents } from './contract.ts'
import type { ArmedFaults, Failure } from './faults.ts'
import { type Refusal, refusal } from './refusal.ts'
import { compareBytes, type Result } from './store.ts'
import { type BatchContext, takeBatch } from './take-batch.ts'

export interface PlatformRequest {
  readonly method: string
  readonly url: URL
  readonly authorization: string | undefined
  /** All values of the header `Idempotency-Key`, because a request may contain that header more than once. */
  readonly idempotencyKeys: readonly string[]
  readonly body: Buffer
}

export interface Platform extends BatchContext {
  readonly token: string
  readonly eventId: string
  /** Maximum number of items on a page of the platform's list of items. */
  readonly pageSize: number
}

/**
 * The reaction to a request: an answer, or a connection that breaks, for example because the platform
 * crashes.
 */
export type Reply = Refusal | { readonly status: 200; readonly body: object } | { readonly cut: Failure }

const MOST_BODY_BYTES = 5_242_880

/**
 * Answers one request. Checks first the sender and the path, then the armed faults (the ones that a test
 * ordered), then the contract.
 */
export async function answer(platform: Platform, request: PlatformRequest): Promise<Reply> {
  const { method, url, body } = request
  const [, token] = /^bearer (.*)$/i.exec(request.authorization ?? '') ?? []
  if (token !== platform.token) return refusal(401, 'unauthorized')
  if (body.length > MOST_BODY_BYTES) return refusal(413, 'too_large')
  const [, event, place] = /^\/v1\/events\/([^/]+)\/(batches|items)$/.exec(url.pathname) ?? []
  if (event === undefined || decodeURIComponent(event) !== platform.eventId) return refusal(404, 'not_found')
  const due = place === 'batches' ? 'POST' : 'GET'
  if (method !== due) return refusal(405, 'method_not_allowed', { Allow: due })
  if (place === 'batches') return answerBatch(platform, request)
  return failure(platform.faults, 'items') ?? listItems(platform, url.searchParams)
}

async function answerBatch(platform: Platform, request: PlatformRequest): Promise<Reply> {
  const { faults } = platform
  const latency = faults.take(['latency'])
  if (latency !== undefined) await sleep(latency.ms)
  const failed = failure(faults, 'batches')
  if (failed !== null) return failed
  const [key = '', ...others] = request.idempotencyKeys
  if (key === '' || others.length > 0 || request.url.search !== '') return refusal(400, 'invalid')
  const taken = takeBatch(platform, key, request.body)
  if ('status' in taken) return taken
  const lost = faults.take(['failAfterCommit'])
  if (lost !== undefined) return failedAs(lost.how ?? 'destroy')
  return { status: 200, body: { results: spoilResults(taken, faults) } }
}

/**
 * Returns the failure that a fault causes before the platform reads or stores anything; null if no fault is
 * due.
 */
function failure(faults: ArmedFaults, what: 'batches' | 'items'): Reply | null {
  const fault = faults.take(
    ['rateLimit', 'failBeforeCommit'],
    (one) => ('on' in one ? (one.on ?? 'batches') : 'batches') === what,
  )
  if (fault === undefined) return null
  if (fault.fault === 'failBeforeCommit') return failedAs(fault.how ?? 500)
  const { seconds = 1, style = 'retryAfter' } = fault
  const headers = {
    retryAfter: { 'Retry-After': String(seconds) },
    retryAfterDate: { 'Retry-After': new Date(Date.now() + seconds * 1000).toUTCString() },
    rateLimitReset: { 'X-Rate-Limit-Reset': String(seconds) },
    none: {},
  }[style]
  return refusal(429, 'too_many_requests', headers)
}

function failedAs(how: Failure): Reply {
  return typeof how === 'number' ? refusal(how, 'unavailable') : { cut: how }
}

/**
 * Returns a page of the items of a content, as `#/$defs/items`.
 *
 * The cursor is the last unique ID of the page before, not a count. Therefore an item that is added or
 * removed between two pages does not shift the other items.
 */
function listItems({ store, pageSize }: Platform, query: URLSearchParams): Reply {
  const content = contents.find((name) => name === query.get('content'))
  const isStrange = [...query.keys()].some((name) => name !== 'content' && name !== 'cursor')
  if (content === undefined || isStrange) return refusal(400, 'invalid')
  const after = Buffer.from(query.get('cursor') ?? '', 'base64url').toString()
  const all = store.items(content)
  const rest = all.filter(([uniqueId]) => compareBytes(uniqueId, after) > 0)
  const page = rest.slice(0, pageSize)
  const last = page.at(-1)?.[0] ?? ''
  return {
    status: 200,
    body: {
      items: page.map(([uniqueId, { fields }]) => ({ uniqueId, fields })),
      next: rest.length > pageSize ? Buffer.from(last).toString('base64url') : null,
      fence: Math.max(0, ...[...store.fences.values()].map(({ fence }) => fence)),
      total: all.length,
    },
  }
}

/**
 * Falsifies the results in the answer; the results that the platform stores for the idempotency key stay
 * correct.
 */
function spoilResults(results: readonly Result[], faults: ArmedFaults): readonly Result[] {
  const [first] = results
  const last = results.at(-1)
  if (first === undefined || last === undefined) return results
  let spoilt = results
  if (faults.take(['swapsTwoResults'])) spoilt = withTwoSwapped(spoilt)
  if (faults.take(['omitsAResult'])) spoilt = spoilt.slice(0, -1)
  if (faults.take(['repeatsAResult'])) spoilt = [...spoilt, first]
  if (faults.take(['addsAResult'])) spoilt = [...spoilt, { seq: last.seq + 1, status: 'unchanged' }]
  if (faults.take(['shuffleResults'])) spoilt = spoilt.toReversed()
  return spoilt
}

/** Swaps the results of two operations; does nothing if all operations have the same result. */
function withTwoSwapped(results: readonly Result[]): readonly Result[] {
  const [first] = results
  const other = results.find(({ status }) => status !== first?.status)
  if (first === undefined || other === undefined) return results
  return results.map((result) => {
    if (result === first) return { ...other, seq: first.seq }
    return result === other ? { ...first, seq: other.seq } : result
  })
}
