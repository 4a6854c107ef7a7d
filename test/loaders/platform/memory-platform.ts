import type { PlatformConnection } from '../../../loaders/platform/http.ts'
import type { Operation } from '../../../loaders/platform/target.ts'
import type { Fields, Phase } from '../../../sql/tables.ts'

interface Body {
  readonly fence: number
  readonly phase: Phase
  readonly operations: readonly Operation[]
}

type Garbled = 'missing' | 'extra' | 'repeated' | 'of another kind' | 'no JSON'

/** A platform in memory that follows the contract, unless a test asks for a fault. */
export interface MemoryPlatform extends PlatformConnection {
  /** Items by `content uniqueId`. */
  readonly items: Map<string, Fields>
  /** Every POST request. */
  readonly posts: { readonly key: string; readonly body: string }[]
  /** Every accepted batch. */
  readonly batches: (Body & { readonly key: string })[]
  readonly effects: string[]
  /** Highest accepted fence. */
  fence: number
  /** Operations that the platform rejects, by unique ID. */
  readonly reject: Map<string, { readonly code: string; readonly retryable: boolean }>
  /** Batches that the platform refuses, by a unique ID that they contain. */
  readonly refuseWith: Map<string, { readonly status: number; readonly error: string }>
  /** Unique IDs whose operations the platform acknowledges without doing them. */
  readonly lose: Set<string>
  /**
   * Breaks one POST request: it gets no answer before its effect, no answer after its effect, or an invalid
   * answer.
   */
  play(fault: { readonly at: number; readonly drop?: 'before' | 'after'; readonly garble?: Garbled }): void
}

export function memoryPlatform(): MemoryPlatform {
  const answers = new Map<string, { results: Result[] }>()
  let fault: Parameters<MemoryPlatform['play']>[0] | null = null

  function take(key: string, body: Body): { results: Result[] } {
    const before = answers.get(key)
    if (before !== undefined) return before
    platform.fence = body.fence
    platform.batches.push({ ...body, key })
    const results = body.operations.map((operation): Result => {
      const { seq, content, uniqueId } = operation
      const rejected = platform.reject.get(uniqueId)
      if (rejected !== undefined) return { seq, status: 'failed', ...rejected }
      const name = `${content} ${uniqueId}`
      const isThere = platform.items.has(name)
      const status = operation.op === 'remove' ? 'removed' : isThere ? 'updated' : 'created'
      if (!platform.lose.has(uniqueId)) {
        if (operation.op === 'remove') platform.items.delete(name)
        else platform.items.set(name, operation.fields)
        platform.effects.push(`${status} ${name}`)
      }
      return { seq, status }
    })
    answers.set(key, { results })
    return { results }
  }

  const platform: MemoryPlatform = {
    maxItems: 2_000_000,
    items: new Map(),
    posts: [],
    batches: [],
    effects: [],
    fence: 0,
    reject: new Map(),
    refuseWith: new Map(),
    lose: new Set(),
    play(one) {
      fault = one
    },
    async post(_, body, headers) {
      const key = headers['Idempotency-Key'] ?? ''
      platform.posts.push({ key, body })
      const broken = fault !== null && fault.at === platform.posts.length ? fault : null
      if (broken?.drop === 'before') throw new Error('no answer')
      const batch: Body = JSON.parse(body)
      if (batch.fence < platform.fence) {
        return { status: 409, body: { error: 'stale_fence', fence: platform.fence } }
      }
      for (const { uniqueId } of batch.operations) {
        const refusal = platform.refuseWith.get(uniqueId)
        if (refusal !== undefined) return { status: refusal.status, body: { error: refusal.error } }
      }
      const { results } = take(key, batch)
      if (broken?.drop === 'after') throw new Error('no answer')
      return {
        status: 200,
        body: broken?.garble === undefined ? { results } : garbled(broken.garble, results),
      }
    },
    async get(_, { content = '', cursor = '' }) {
      const names = [...platform.items.keys()].filter((name) => name.startsWith(`${content} `)).sort()
      // A page has only two items, so that several pages and a cursor are needed.
      const start = cursor === '' ? 0 : Number(cursor)
      const items = names.slice(start, start + 2).map((name) => ({
        uniqueId: name.slice(content.length + 1),
        fields: platform.items.get(name) ?? {},
      }))
      const next = start + 2 < names.length ? String(start + 2) : null
      return { status: 200, body: { items, next, fence: platform.fence } }
    },
  }
  return platform
}

interface Result {
  readonly seq: number
  readonly status: string
  readonly code?: string
  readonly retryable?: boolean
}

function garbled(how: Garbled, results: readonly Result[]): unknown {
  const [first] = results
  switch (how) {
    case 'missing':
      return { results: results.slice(1) }
    case 'extra':
      return { results: [...results, { seq: 999, status: 'created' }] }
    case 'repeated':
      return { results: [first, ...results.slice(0, -1)] }
    case 'of another kind':
      return { results: results.map((result) => ({ ...result, status: 'done' })) }
    case 'no JSON':
      return null
  }
}
