import { z } from 'zod'
import type { Content, Fields } from '../../sql/tables.ts'
import type { RawNumber } from '../../transforms/rules/values.ts'
import { codeSchema, readBackResults, recordRefusal, resultsOf, sendBatches, whole } from './deliver.ts'
import {
  type Batch,
  type Outbox,
  type PlatformPage,
  type PlatformReader,
  PlatformRefusalError,
  type PlatformTarget,
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

/**
 * Sends batches of operations to a platform. The answer to each batch is recorded before the next batch is
 * sent.
 */
export function httpTarget(
  connection: PlatformConnection,
  { batchSize }: { readonly batchSize: number },
): PlatformTarget {
  return {
    apply: (plan, outbox) =>
      sendBatches(
        outbox,
        plan,
        batchSize,
        (batch) => deliver(connection, outbox, batch),
        'of the platform do not say what happened to each operation, as the contract requires; ask the people who run the platform',
      ),
  }
}

async function deliver(connection: PlatformConnection, outbox: Outbox, batch: Batch): Promise<boolean> {
  const readBack = () => readBackResults(httpReader(connection), batch.operations)
  // The platform accepts only one body for each idempotency key. An earlier product version has already sent
  // a different body with the key of this batch.
  if (!batch.isAsStored) {
    await outbox.record(batch, await readBack())
    return true
  }
  const answer = await connection.post('batches', batch.body, { 'Idempotency-Key': batch.key })
  if (answer.status === 200) {
    const results = resultsOf(answer.body, batch.operations)
    await outbox.record(batch, results ?? (await readBack()))
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
    await outbox.record(batch, await readBack())
    return true
  }
  if (![400, 413, 422].includes(answer.status)) throw new PlatformRefusalError(hintFor(answer.status, error))
  await recordRefusal(outbox, batch, error ?? `status_${answer.status}`)
  return true
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
/** A text that the database can store, without U+0000 and lone surrogates. */
const storable = z.string().refine((text) => !text.includes('\0') && text.isWellFormed())
const MAX_ID_BYTES = 1000
/** A unique ID that the database can store. */
export const uniqueIdSchema = storable.min(1).refine((id) => Buffer.byteLength(id) <= MAX_ID_BYTES)

const count = whole.pipe(z.int().nonnegative())

const refusalSchema = z.object({ error: codeSchema, fence: count.optional() })

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
