import type { Content, Fields } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../../transforms/decide/platform-fields.ts'
import { parseJson } from '../../transforms/rules/values.ts'
import { readBackResults, recordRefusal, resultsOf, sendBatches } from './deliver.ts'
import { fieldsSchema, uniqueIdSchema } from './http.ts'
import { beyondLimits, type TargetLimits } from './limits.ts'
import {
  type Batch,
  type FirstPassword,
  type Operation,
  type Outbox,
  type PlatformItem,
  type PlatformPage,
  type PlatformReader,
  PlatformRefusalError,
  type PlatformTarget,
  type Result,
} from './target.ts'

/** An upsert as `send` gets it. If an attendee is new, the upsert may have a password. */
export type SentUpsert = Extract<Operation, { readonly op: 'upsert' }> & Partial<FirstPassword>
export type SentRemoval = Extract<Operation, { readonly op: 'remove' }>

/** A batch as `send` gets it. It has only upserts or only removals, of any contents of the target. */
export interface SentBatch {
  readonly upserts: readonly SentUpsert[]
  readonly removals: readonly SentRemoval[]
  /**
   * Key of the batch. If the result of a batch is unknown, `send` gets the batch again with the same key and
   * the same operations.
   */
  readonly key: string
}

/** An item as the platform lists it. */
export interface ListedItem {
  readonly uniqueId: string
  /** Platform fields by name. A field that is null, undefined or empty counts as absent. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** The functions that write to a platform and read it. */
export interface TargetFunctions {
  /**
   * Sends a batch to the platform, and returns one result for each operation.
   *
   * @throws BatchRefusedError if the platform refused the whole batch, which then had no effect. After any
   *   other error, the result of the batch counts as unknown
   */
  send(batch: SentBatch): Promise<readonly Result[]>
  /** Lists all items of a content that the platform has, each once, in any order. */
  list(content: Content): AsyncIterable<ListedItem>
  /** Returns how many items `list` would return. */
  count(content: Content): Promise<number>
}

/** Thrown by `send` if the platform refused a whole batch, which then had no effect. */
export class BatchRefusedError extends Error {
  override readonly name = 'BatchRefusedError'
  /** Kind of fault, such as `email_taken`: small letters, digits and `_`, and no value of a person. */
  readonly code: string

  constructor(code: string) {
    super(`the platform refused a batch: ${code}`)
    this.code = code
  }
}

/**
 * Makes a target of the functions that a file outside this package defines. Operations beyond the limits of
 * the platform are rejected here and never sent.
 *
 * @param title name of the target, for messages
 */
export function ownTarget(title: string, functions: TargetFunctions, limits: TargetLimits): PlatformTarget {
  const reader = ownReader(title, functions)
  return {
    apply: (plan, outbox) =>
      sendBatches(
        outbox,
        plan,
        limits.batchSize,
        (batch) => deliver(functions, reader, limits, outbox, batch),
        `of \`send\` of ${title} do not have exactly one fitting result for each operation; ${CORRECT_FILE}`,
      ),
  }
}

async function deliver(
  functions: TargetFunctions,
  reader: PlatformReader,
  limits: TargetLimits,
  outbox: Outbox,
  batch: Batch,
): Promise<boolean> {
  // An earlier product version has already sent other bytes with the key of this batch.
  if (!batch.isAsStored) {
    await outbox.record(batch, await readBackResults(reader, batch.operations))
    return true
  }
  const codes = beyondLimits(limits, batch.operations)
  const isSent = ({ seq }: Operation) => !codes.has(seq)
  const sent = operationsIn(batch).filter(isSent)
  const answer = sent.length === 0 ? [] : await answerOf(functions, sent, batch.key)
  if (answer instanceof BatchRefusedError) {
    await recordRefusal(outbox, batch, answer.code)
    return true
  }
  const results = resultsOf({ results: answer }, sent)
  const rejected = [...codes].map(
    ([seq, code]): Result => ({ seq, status: 'failed', code, retryable: false }),
  )
  const others = results ?? (await readBackResults(reader, batch.operations.filter(isSent)))
  await outbox.record(batch, [...rejected, ...others])
  return results !== null
}

async function answerOf(functions: TargetFunctions, sent: readonly SentOperation[], key: string) {
  const upserts = sent.filter((operation) => operation.op === 'upsert')
  const removals = sent.filter((operation) => operation.op === 'remove')
  try {
    return await functions.send({ upserts, removals, key })
  } catch (error) {
    if (error instanceof BatchRefusedError) return error
    throw error
  }
}

type SentOperation = SentUpsert | SentRemoval

/** Returns the operations of a batch with their passwords, which only the body of the batch contains. */
function operationsIn({ body }: Batch): readonly SentOperation[] {
  return (parseJson(body) as { readonly operations: readonly SentOperation[] }).operations
}

const CORRECT_FILE = 'correct the file of the target'

/** Maximum number of items of a content, which stops a target that lists items forever. */
const MAX_ITEMS = 2_000_000
/** Number of items in a page. The first page has one item, because `check` reads only this page. */
const ITEMS_IN_PAGE = 1000

/** Makes a reader of the functions that a file outside this package defines. Such a platform has no fence. */
export function ownReader(title: string, functions: TargetFunctions): PlatformReader {
  return {
    itemsOf: (content) => pagesOf(title, functions, content),
    async stateOf(content) {
      const total = await functions.count(content)
      if (Number.isSafeInteger(total) && total >= 0) return { fence: null, total }
      throw new PlatformRefusalError(
        `\`count\` of ${title} did not return a number of ${content}`,
        CORRECT_FILE,
      )
    },
  }
}

async function* pagesOf(
  title: string,
  functions: TargetFunctions,
  content: Content,
): AsyncGenerator<PlatformPage> {
  const refuse = (what: string) => new PlatformRefusalError(`\`list\` of ${title} ${what}`, CORRECT_FILE)
  const known = new Set([...PLATFORM_FIELDS[content], 'custom'])
  const seen = new Set<string>()
  let items: PlatformItem[] = []
  for await (const listed of functions.list(content)) {
    const uniqueId = uniqueIdSchema.safeParse(listed.uniqueId)
    if (!uniqueId.success) throw refuse(`returned an item of ${content} whose uniqueId is not a usable text`)
    if (seen.has(uniqueId.data)) throw refuse(`returned an item of ${content} twice`)
    if (seen.size === MAX_ITEMS) throw refuse(`returned more than ${MAX_ITEMS} items of ${content}`)
    seen.add(uniqueId.data)
    const unknown = Object.keys(listed.fields).find((field) => !known.has(field))
    if (unknown !== undefined) {
      // A key that does not look like the name of a field could be a value of a person.
      const shown = /^[A-Za-z_]{1,40}$/.test(unknown) ? `"${unknown}"` : 'a key'
      throw refuse(`returned ${content} with ${shown}, which is not a field of theirs`)
    }
    const fields = fieldsSchema.safeParse(withValues(listed.fields))
    if (!fields.success) {
      const [field = 'fields'] = fields.error.issues[0]?.path ?? []
      throw refuse(`returned ${content} whose ${String(field)} is not a text or a list of texts`)
    }
    items.push({ content, uniqueId: uniqueId.data, fields: fields.data })
    if (items.length < ITEMS_IN_PAGE && seen.size > 1) continue
    yield { items, fence: null }
    items = []
  }
  yield { items, fence: null }
}

/** Leaves out fields without a value, because an item that the product sends has no such fields. */
function withValues(fields: ListedItem['fields']): Fields {
  const entries = Object.entries(fields).filter(
    ([, value]) => value !== null && value !== undefined && value !== '' && !isEmptyList(value),
  )
  return Object.fromEntries(entries) as Fields
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0
