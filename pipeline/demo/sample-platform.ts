import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  type SampleAnswer,
  type SampleRequest,
  type SampleServer,
  startSampleServer,
} from './sample-server.ts'

export const samplePlatformAccess = { token: 'sample-platform-token', eventId: 'sample-event' } as const

type Items = Map<string, unknown>

interface Operation {
  readonly seq: number
  readonly op: 'upsert' | 'remove'
  readonly content: string
  readonly uniqueId: string
  readonly fields?: unknown
}

interface Batch {
  readonly integration: string
  readonly run: string
  readonly fence: number
  readonly operations: readonly Operation[]
}

const PAGE_SIZE = 100

/**
 * An event platform in memory: as much of `loaders/platform/contract` as a correct sender needs. It trusts what it is sent,
 * and takes no passwords.
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
    const results = operations.map((operation) => ({ seq: operation.seq, status: takeEffect(operation) }))
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
