import { setTimeout as sleep } from 'node:timers/promises'
import { answerControl, type Controlled } from './control.ts'
import { listItems } from './list-items.ts'
import type { SamplePlatformOptions } from './options.ts'
import { failed, type Reply, refusal } from './reply.ts'
import { spoilResults } from './spoil-results.ts'
import { type Desk, takeBatch } from './take-batch.ts'

export interface PlatformRequest {
  readonly method: string
  readonly url: URL
  readonly authorization: string | undefined
  /** As often as it was sent. */
  readonly idempotencyKeys: readonly string[]
  /** Null where it is longer than a body may be. */
  readonly body: Uint8Array | null
}

/** What the platform answers to: itself. */
export type Platform = Desk & Controlled & { readonly options: Required<SamplePlatformOptions> }

/** Answers one request: who asks, what for, then the faults that are armed, then the contract. */
export async function answer(platform: Platform, request: PlatformRequest): Promise<Reply> {
  const { options, tell } = platform
  const { method, url, body } = request
  if (!isAdmitted(request.authorization, options.token)) return refusal(401, 'unauthorized')
  if (body === null) {
    tell(`a body was refused: more than ${options.maxBodyBytes} bytes`)
    return refusal(413, 'too_large')
  }
  const control = /^\/control\/([^/]+)$/.exec(url.pathname)?.[1]
  if (control !== undefined && options.control) return answerControl(platform, method, control, body)

  const [, event, place] = /^\/v1\/events\/([^/]+)\/(batches|items)$/.exec(url.pathname) ?? []
  if (event === undefined || decoded(event) !== options.eventId) return refusal(404, 'not_found')
  const due = place === 'batches' ? 'POST' : 'GET'
  if (method !== due) return refusal(405, 'method_not_allowed', { headers: { Allow: due } })
  return place === 'batches'
    ? answerBatch(platform, request, body)
    : ((await misbehaveFirst(platform, 'items')) ??
        listItems(platform.store, url.searchParams, options.pageSize))
}

async function answerBatch(
  platform: Platform,
  { url, idempotencyKeys }: PlatformRequest,
  body: Uint8Array,
): Promise<Reply> {
  const spoilt = await misbehaveFirst(platform, 'batches')
  if (spoilt !== null) return spoilt
  const [key = '', ...others] = idempotencyKeys
  if (key === '' || others.length > 0 || url.search !== '') {
    platform.tell('a batch was refused: it needs one Idempotency-Key, and no query')
    return refusal(400, 'invalid')
  }
  const taken = takeBatch(platform, key, body)
  if ('refused' in taken) return taken.refused
  const fault = platform.faults.take(['failAfterCommit'])
  if (fault !== undefined) return failed(fault.how)
  return { status: 200, body: { results: spoilResults(taken.results, platform.faults) } }
}

/** The faults that come before anything is read or stored; null where none does. */
async function misbehaveFirst({ faults }: Platform, on: 'batches' | 'items'): Promise<Reply | null> {
  const late = faults.take(['latency'], (fault) => fault.on === on)
  if (late !== undefined) await sleep(late.ms)
  const fault = faults.take(['rateLimit', 'failBeforeCommit'], (one) => one.on === on)
  if (fault === undefined) return null
  if (fault.fault === 'failBeforeCommit') return failed(fault.how)
  const { seconds, style } = fault
  const headers = {
    retryAfter: { 'Retry-After': String(seconds) },
    retryAfterDate: { 'Retry-After': new Date(Date.now() + seconds * 1000).toUTCString() },
    rateLimitReset: { 'X-Rate-Limit-Reset': String(seconds) },
    none: {},
  }[style]
  return refusal(429, 'too_many_requests', { headers })
}

function isAdmitted(authorization: string | undefined, token: string): boolean {
  const [scheme = '', ...rest] = (authorization ?? '').split(' ')
  return scheme.toLowerCase() === 'bearer' && rest.join(' ').trim() === token
}

/** A path that is no text is no event's. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
