import { z } from 'zod'

/**
 * The platform's answers, as `contract/platform.schema.json` has them; keys beside those are passed over, so that a
 * platform may say more than it must.
 */
const code = z.string().regex(/^[a-z0-9_]{1,64}$/)
/** A result stands, whatever its code looks like: what became of the operation is what counts. */
const codeOfResult = code.optional().catch(undefined)

/** Text that the database can hold: neither U+0000 nor half a character. */
const storable = z.string().refine((text) => !text.includes('\0') && text.isWellFormed())
const MAX_ID_BYTES = 1000

export const resultsSchema = z.object({
  results: z.array(
    z.object({
      seq: z.int().positive(),
      status: z.enum(['created', 'updated', 'unchanged', 'removed', 'failed']),
      code: codeOfResult,
      retryable: z.boolean().nullish(),
    }),
  ),
})

export const refusalSchema = z.object({ error: code, fence: z.int().nonnegative().optional() })

export const itemsSchema = z.object({
  items: z.array(
    z.object({
      uniqueId: storable.min(1).refine((id) => Buffer.byteLength(id) <= MAX_ID_BYTES),
      fields: z.record(storable, z.union([storable, z.array(storable)])),
    }),
  ),
  next: z.string().min(1).nullable(),
  fence: z.int().nonnegative(),
  total: z.int().nonnegative().optional(),
})
