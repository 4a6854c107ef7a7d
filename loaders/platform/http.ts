import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Content, Fields } from '../../sql/tables.ts'
import type { RawNumber } from '../../transforms/rules/values.ts'
import { PHASES } from './batches.ts'
import {
  type Batch,
  type BatchLimits,
  type Operation,
  type Outbox,
  type PlanHeader,
  type PlatformPage,
  type PlatformReader,
  PlatformRefusalError,
  type PlatformTarget,
  type Result,
  StaleRunError,
} from './target.ts'

/** The final answer of a platform. Answers 408, 429 and 5xx are retried, so they are never final. */
export interface PlatformAnswer {
  readonly status: number
  readonly body: unknown
}

/** The connection to one event of a platform. */
export interface PlatformConnection {
  /**
   * Maximum number of items of a content that are read, which stops a faulty platform that sends pages
   * forever.
   */
  readonly maxItems: number
  /**
   * @throws if the platform has not answered after all retries; in this case the result of the request is
   *   unknown
   */
  post(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<PlatformAnswer>
  get(path: string, query: Readonly<Record<string, string>>): Promise<PlatformAnswer>
}

/** Maximum size in bytes of the operations in one batch. */
const MAX_BATCH_BYTES = 1_000_000
/**
 * Maximum number of unclear answers in a row. After so many unclear answers, the run treats the platform as
 * faulty, because each unclear answer costs a full read of the platform.
 */
const MAX_UNCLEAR = 3

/**
 * Sends batches of operations to a platform. The answer to each batch is recorded before the next batch is
 * sent.
 */
export function httpTarget(
  connection: PlatformConnection,
  { batchSize }: { readonly batchSize: number },
): PlatformTarget {
  return {
    async apply(plan, outbox) {
      const most = { count: batchSize, bytes: MAX_BATCH_BYTES }
      let unclear = 0
      await inBatches(outbox, plan, most, async (batch) => {
        const isClear = await deliver(connection, outbox, batch)
        unclear = isClear ? 0 : unclear + 1
        if (unclear < MAX_UNCLEAR) return
        throw new PlatformRefusalError(
          `the last ${unclear} answers of the platform do not say what happened to each operation, as the contract requires; ask the people who run the platform`,
        )
      })
    },
  }
}

async function deliver(connection: PlatformConnection, outbox: Outbox, batch: Batch): Promise<boolean> {
  // The platform accepts only one body for each idempotency key. An earlier product version has already sent
  // a different body with the key of this batch.
  if (!batch.isAsStored) {
    await outbox.record(batch, await readBack(connection, batch))
    return true
  }
  const answer = await connection.post('batches', batch.body, { 'Idempotency-Key': batch.key })
  if (answer.status === 200) {
    const results = resultsOf(answer.body, batch.operations)
    await outbox.record(batch, results ?? (await readBack(connection, batch)))
    return results !== null
  }
  const refusal = refusalSchema.safeParse(answer.body)
  const { error, fence } = refusal.success ? refusal.data : {}
  if (answer.status === 409 && error === 'stale_fence') {
    throw new StaleRunError(
      `the platform has accepted a newer run (fence ${fence ?? 'not given'}): this database is outdated, or another one writes to the same event; \`event-sync run --refresh\` reads back what the platform has`,
    )
  }
  if (answer.status === 409 && error === 'key_reused') {
    await outbox.record(batch, await readBack(connection, batch))
    return true
  }
  if (![400, 413, 422].includes(answer.status)) throw new PlatformRefusalError(hintFor(answer.status, error))
  if (batch.operations.length > 1) {
    await outbox.refuse(batch)
    return true
  }
  const code = error ?? `status_${answer.status}`
  await outbox.record(
    batch,
    batch.operations.map(({ seq }) => ({ seq, status: 'failed', code, retryable: false })),
  )
  return true
}

function resultsOf(body: unknown, operations: readonly Operation[]): readonly Result[] | null {
  const answered = resultsSchema.safeParse(body)
  if (!answered.success) return null
  const { results } = answered.data
  const bySeq = new Map(results.map((result) => [result.seq, result]))
  const isWhole = results.length === operations.length && bySeq.size === operations.length
  const isFitting = operations.every(({ seq, op }) => {
    const status = bySeq.get(seq)?.status
    return status === undefined ? false : op === 'remove' ? FOR_REMOVE.has(status) : FOR_UPSERT.has(status)
  })
  return isWhole && isFitting ? results : null
}

const FOR_UPSERT: ReadonlySet<Result['status']> = new Set(['created', 'updated', 'unchanged', 'failed'])
const FOR_REMOVE: ReadonlySet<Result['status']> = new Set(['removed', 'unchanged', 'failed'])

/**
 * Derives the results of a batch from the platform's current items. The current items are used if the
 * platform's answer does not state the results.
 */
async function readBack(connection: PlatformConnection, batch: Batch): Promise<readonly Result[]> {
  const keyOf = (content: Content, uniqueId: string) => `${content}\n${uniqueId}`
  const wanted = new Set(batch.operations.map(({ content, uniqueId }) => keyOf(content, uniqueId)))
  const found = new Map<string, Fields>()
  for (const content of new Set(batch.operations.map((operation) => operation.content))) {
    for await (const { items } of itemsOf(connection, content)) {
      for (const { uniqueId, fields } of items) {
        const key = keyOf(content, uniqueId)
        if (wanted.has(key)) found.set(key, fields)
      }
    }
  }
  return batch.operations.map((operation) => {
    const { seq, content, uniqueId } = operation
    const there = found.get(keyOf(content, uniqueId))
    const isDone =
      operation.op === 'remove'
        ? there === undefined
        : there !== undefined && isDeepStrictEqual({ ...there }, { ...operation.fields })
    if (!isDone) return { seq, status: 'failed', code: 'not_found_when_read_back', retryable: true }
    return { seq, status: operation.op === 'remove' ? 'removed' : 'unchanged', code: 'read_back' }
  })
}

/** Reads the items and the state of a platform. Source: `contract/README.md`. */
export function httpReader(connection: PlatformConnection): PlatformReader {
  return {
    itemsOf: (content) => itemsOf(connection, content),
    async stateOf(content) {
      const { fence, total = null } = await askItems(connection, { content })
      return { fence, total }
    },
  }
}

async function* itemsOf(connection: PlatformConnection, content: Content): AsyncGenerator<PlatformPage> {
  let last = Buffer.alloc(0)
  let count = 0
  for (let cursor: string | null = null; ; ) {
    const query = { content, ...(cursor === null ? {} : { cursor }) }
    const { items, next, fence }: ItemsPage = await askItems(connection, query)
    // Ids that always ascend guarantee an end of the pages: a faulty platform cannot send the same items
    // again and again.
    for (const { uniqueId } of items) {
      const bytes = Buffer.from(uniqueId)
      if (Buffer.compare(last, bytes) >= 0)
        throw notAsContracted(content, 'the unique ids are not in ascending order')
      last = bytes
    }
    if (items.length === 0 && next !== null)
      throw notAsContracted(content, 'a page is empty but not the last')
    count += items.length
    if (count > connection.maxItems)
      throw new PlatformRefusalError(
        `the platform has more ${content} than platform.maxItems (${connection.maxItems}); check platform.url and platform.eventId, or raise the limit`,
      )
    yield { items: items.map((item) => ({ content, ...item })), fence }
    if (next === null) return
    cursor = next
  }
}

type ItemsPage = z.output<typeof itemsSchema>

async function askItems(
  connection: PlatformConnection,
  query: { readonly content: Content; readonly cursor?: string },
): Promise<ItemsPage> {
  const answer = await connection.get('items', query)
  if (answer.status !== 200) throw new PlatformRefusalError(hintFor(answer.status, undefined))
  const page = itemsSchema.safeParse(answer.body)
  if (page.success) return page.data
  throw notAsContracted(
    query.content,
    `${page.error.issues[0]?.path.join('.') || 'the answer'} does not match the contract`,
  )
}

function notAsContracted(content: Content, what: string): PlatformRefusalError {
  return new PlatformRefusalError(
    `the ${content} on the platform cannot be read back: ${what}; ask the people who run the platform`,
  )
}

const HINTS: Readonly<Record<number, string>> = {
  401: 'check platform.token',
  403: 'check what platform.token may do',
  404: 'check platform.url and platform.eventId',
}

const NOT_IN_CONTRACT = 'the contract does not define this answer; ask the people who run the platform'

function hintFor(status: number, error: string | undefined): string {
  const what = `the platform answered ${status}${error === undefined ? '' : ` (${error})`}`
  const hint = HINTS[status] ?? (status >= 300 && status < 400 ? 'check platform.url' : NOT_IN_CONTRACT)
  return `${what}: ${hint}`
}

// The schemas of the platform's answers follow `contract/platform.schema.json`. Unknown keys in an answer are
// ignored, because a platform may add keys.
const code = z.string().regex(/^[a-z0-9_]{1,64}$/)
/** Drops an invalid code. If the invalid code stayed, the whole result would be invalid. */
const codeOfResult = code.optional().catch(undefined)

/** A text that the database can store, without U+0000 and lone surrogates. */
const storable = z.string().refine((text) => !text.includes('\0') && text.isWellFormed())
const MAX_ID_BYTES = 1000
/** A unique ID that the database can store. */
export const uniqueIdSchema = storable.min(1).refine((id) => Buffer.byteLength(id) <= MAX_ID_BYTES)

/** A whole number; JSON may also write it as 1.0. */
const whole = z.unknown().transform((one) => (JSON.isRawJSON(one) ? Number(one.rawJSON) : one))
const count = whole.pipe(z.int().nonnegative())

const resultsSchema = z.object({
  results: z.array(
    z.object({
      seq: whole.pipe(z.int().positive()),
      status: z.enum(['created', 'updated', 'unchanged', 'removed', 'failed']),
      code: codeOfResult,
      retryable: z.boolean().nullish(),
    }),
  ),
})

const refusalSchema = z.object({ error: code, fence: count.optional() })

const value = z.union([storable, z.array(storable)])
const customValue = z.union([
  value,
  z.number(),
  z.boolean(),
  z.custom<RawNumber>((one) => JSON.isRawJSON(one)),
])

export const fieldsSchema = z
  .object({ custom: z.record(storable, customValue).optional() })
  .catchall(value)
  .transform((fields): Fields => fields as Fields)

const itemsSchema = z.object({
  items: z.array(
    z.object({
      uniqueId: uniqueIdSchema,
      fields: fieldsSchema,
    }),
  ),
  next: z.string().min(1).nullable(),
  fence: count.nullable().default(null),
  total: count.optional(),
})

/**
 * Sends the operations of the outbox to a platform in batches. First come removals that must come before an
 * upsert, then upserts, then all other removals.
 *
 * @param deliver sends a batch; its promise resolves when the outbox has recorded the results
 */
export async function inBatches(
  outbox: Outbox,
  header: PlanHeader,
  most: BatchLimits,
  deliver: (batch: Batch) => Promise<void>,
): Promise<void> {
  for (const phase of PHASES) {
    if (phase === 'removals') await outbox.withholdRemovalsAfterRejections()
    for (;;) {
      const batch = await outbox.nextBatch(header, phase, most)
      if (batch === null) break
      await deliver(batch)
    }
  }
}
