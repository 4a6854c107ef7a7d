import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Content, Fields } from '../../sql/tables.ts'
import { PHASES } from './batches.ts'
import type { Batch, BatchLimits, Operation, Outbox, PlanHeader, PlatformReader, Result } from './target.ts'
import { PlatformRefusalError } from './target.ts'

/** Maximum size in bytes of the operations in one batch. */
const MAX_BATCH_BYTES = 1_000_000
/**
 * Maximum number of unclear answers in a row. After so many unclear answers, the run treats the platform as
 * faulty, because each unclear answer costs a full read of the platform.
 */
const MAX_UNCLEAR = 3

/**
 * Sends the operations of the outbox in batches, and stops after several unclear answers in a row.
 *
 * @param deliver sends a batch and records its results. The promise resolves to false if the answer did not
 *   state the result of each operation
 * @param unclear what the error says about unclear answers, and what to do
 * @throws PlatformRefusalError after three unclear answers in a row
 */
export async function sendBatches(
  outbox: Outbox,
  plan: PlanHeader,
  batchSize: number,
  deliver: (batch: Batch) => Promise<boolean>,
  unclear: string,
): Promise<void> {
  let inARow = 0
  await inBatches(outbox, plan, { count: batchSize, bytes: MAX_BATCH_BYTES }, async (batch) => {
    inARow = (await deliver(batch)) ? 0 : inARow + 1
    if (inARow === MAX_UNCLEAR) throw new PlatformRefusalError(`the last ${inARow} answers ${unclear}`)
  })
}

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

/**
 * Records that the platform refused a whole batch, which had no effect. A batch with several operations is
 * sent again, one operation at a time. A single operation counts as rejected.
 *
 * @param code kind of fault of a single operation
 */
export async function recordRefusal(outbox: Outbox, batch: Batch, code: string): Promise<void> {
  if (batch.operations.length > 1) return outbox.refuse(batch)
  await outbox.record(
    batch,
    batch.operations.map(({ seq }) => ({ seq, status: 'failed', code, retryable: false })),
  )
}

/**
 * Returns the results of operations from an answer; null if the answer lacks a result, has more results, or
 * has a result that does not fit its operation.
 */
export function resultsOf(body: unknown, operations: readonly Operation[]): readonly Result[] | null {
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
 * Derives the results of operations from the platform's current items. The current items are used if the
 * platform's answer does not state the results.
 */
export async function readBackResults(
  { itemsOf }: Pick<PlatformReader, 'itemsOf'>,
  operations: readonly Operation[],
): Promise<readonly Result[]> {
  const keyOf = (content: Content, uniqueId: string) => `${content}\n${uniqueId}`
  const wanted = new Set(operations.map(({ content, uniqueId }) => keyOf(content, uniqueId)))
  const found = new Map<string, Fields>()
  for (const content of new Set(operations.map((operation) => operation.content))) {
    for await (const { items } of itemsOf(content)) {
      for (const { uniqueId, fields } of items) {
        const key = keyOf(content, uniqueId)
        if (wanted.has(key)) found.set(key, fields)
      }
    }
  }
  return operations.map((operation) => {
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

/** The form of a code, which names a kind of fault. */
export const codeSchema = z.string().regex(/^[a-z0-9_]{1,64}$/)
/** Drops an invalid code. If the invalid code stayed, the whole result would be invalid. */
const codeOfResult = codeSchema.optional().catch(undefined)

/** A whole number; JSON may also write it as 1.0. */
export const whole = z.unknown().transform((one) => (JSON.isRawJSON(one) ? Number(one.rawJSON) : one))

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
