import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  type SampleAnswer,
  type SampleRequest,
  type SampleServer,
  startSampleServer,
} from './sample-server.ts'

export const samplePlatformAccess = { token: 'sample-platform-token', eventId: 'sample-event' } as const

type Items = Map<string, Operation['fields']>

interface Operation {
  readonly seq: number
  readonly op: 'upsert' | 'remove'
  readonly content: string
  readonly uniqueId: string
  readonly fields?: { readonly emailAddress?: string }
}

interface Batch {
  readonly integration: string
  readonly run: string
  readonly fence: number
  readonly operations: readonly Operation[]
}

const PAGE_SIZE = 100

/**
 * Finds upserts (operations that create or update an item) that would give two attendees the same address.
 * The platform rejects these upserts.
 */
function withTakenAddress(operations: readonly Operation[], attendees: Items): ReadonlySet<Operation> {
  const failing = new Set<Operation>()
  const upserts = operations.filter(({ content, op }) => content === 'attendees' && op === 'upsert')
  // If an upsert is rejected, its attendee keeps the old address. Another upsert that needs this address is
  // then rejected too.
  for (let before = -1; before < failing.size; ) {
    before = failing.size
    const left = operations.filter((one) => one.content === 'attendees' && !failing.has(one))
    const holders = new Map<string | undefined, string>()
    for (const [uniqueId, fields] of attendees) {
      if (left.every((one) => one.uniqueId !== uniqueId))
        holders.set(fields?.emailAddress?.toLowerCase(), uniqueId)
    }
    for (const one of upserts.filter((one) => !failing.has(one))) {
      const address = one.fields?.emailAddress?.toLowerCase()
      if ((holders.get(address) ?? one.uniqueId) !== one.uniqueId) failing.add(one)
      else holders.set(address, one.uniqueId)
    }
  }
  return failing
}

/**
 * Starts an event platform that keeps its items in memory. The sample platform implements the part of the
 * protocol in `loaders/platform/contract` that a correct sender uses. The sample platform does not validate
 * requests, and ignores passwords.
 */
export function startSamplePlatform(): Promise<SampleServer> {
  const { token, eventId } = samplePlatformAccess
  const itemsOf: Readonly<Record<string, Items>> = {
    agenda: new Map(),
    speakers: new Map(),
    attendees: new Map(),
  }
  const fences = new Map<string, { readonly fence: number; readonly run: string }>()
  const answered = new Map<string, { readonly sha256: string; readonly results: unknown }>()

  function takeBatch({ headers, body }: SampleRequest): SampleAnswer {
    const key = String(headers['idempotency-key'])
    const sha256 = hash('sha256', body)
    const known = answered.get(key)
    if (known !== undefined && known.sha256 !== sha256) return [409, { error: 'key_reused' }]
    if (known !== undefined) return [200, { results: known.results }]

    const { integration, run, fence, operations }: Batch = JSON.parse(body)
    const highest = fences.get(integration) ?? { fence: 0, run }
    if (fence < highest.fence || (fence === highest.fence && run !== highest.run)) {
      return [409, { error: 'stale_fence', fence: highest.fence }]
    }
    fences.set(integration, { fence, run })
    const failing = withTakenAddress(operations, itemsOf.attendees ?? new Map())
    const results = operations.map((operation) =>
      failing.has(operation)
        ? { seq: operation.seq, status: 'failed', code: 'email_taken', retryable: false }
        : { seq: operation.seq, status: takeEffect(operation) },
    )
    answered.set(key, { sha256, results })
    return [200, { results }]
  }

  function takeEffect({ op, content, uniqueId, fields }: Operation): string {
    const items = itemsOf[content] ?? new Map()
    const before = items.get(uniqueId)
    if (op === 'remove') return items.delete(uniqueId) ? 'removed' : 'unchanged'
    items.set(uniqueId, fields)
    if (before === undefined) return 'created'
    return isDeepStrictEqual(before, fields) ? 'unchanged' : 'updated'
  }

  function listItems(query: URLSearchParams): SampleAnswer {
    const items = itemsOf[query.get('content') ?? '']
    if (items === undefined) return [400, { error: 'invalid' }]
    const cursor = Buffer.from(query.get('cursor') ?? '', 'base64url')
    const rest = [...items.keys()]
      .map((uniqueId) => Buffer.from(uniqueId))
      .sort(Buffer.compare)
      .filter((uniqueId) => Buffer.compare(uniqueId, cursor) > 0)
    const page = rest.slice(0, PAGE_SIZE)
    return [
      200,
      {
        items: page.map(String).map((uniqueId) => ({ uniqueId, fields: items.get(uniqueId) })),
        next: rest.length > PAGE_SIZE ? (page.at(-1)?.toString('base64url') ?? null) : null,
        fence: Math.max(0, ...[...fences.values()].map(({ fence }) => fence)),
        total: items.size,
      },
    ]
  }

  return startSampleServer((request) => {
    if (request.headers.authorization !== `Bearer ${token}`) return [401, { error: 'unauthorized' }]
    const place = `${request.method} ${request.url.pathname}`
    if (place === `POST /v1/events/${eventId}/batches`) return takeBatch(request)
    if (place === `GET /v1/events/${eventId}/items`) return listItems(request.url.searchParams)
    return [404, { error: 'not_found' }]
  })
}
