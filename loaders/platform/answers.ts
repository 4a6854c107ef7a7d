import { z } from 'zod'
import type { Fields } from '../../sql/tables.ts'
import type { RawNumber } from '../../transforms/rules/json.ts'

/** The platform's answers, as `contract/platform.schema.json` has them; other keys are ignored: a platform may say more. */
const code = z.string().regex(/^[a-z0-9_]{1,64}$/)
/** A result stands, whatever its code looks like: what became of the operation is what counts. */
const codeOfResult = code.optional().catch(undefined)

/** Text that the database can hold: neither U+0000 nor half a character. */
const storable = z.string().refine((text) => !text.includes('\0') && text.isWellFormed())
const MAX_ID_BYTES = 1000

/** A whole number, also one that is written as 1.0. */
const whole = z.unknown().transform((one) => (JSON.isRawJSON(one) ? Number(one.rawJSON) : one))
const count = whole.pipe(z.int().nonnegative())

export const resultsSchema = z.object({
  results: z.array(
    z.object({
      seq: whole.pipe(z.int().positive()),
      status: z.enum(['created', 'updated', 'unchanged', 'removed', 'failed']),
      code: codeOfResult,
      retryable: z.boolean().nullish(),
    }),
  ),
})

export const refusalSchema = z.object({ error: code, fence: count.optional() })

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

export const itemsSchema = z.object({
  items: z.array(
    z.object({
      uniqueId: storable.min(1).refine((id) => Buffer.byteLength(id) <= MAX_ID_BYTES),
      fields: fieldsSchema,
    }),
  ),
  next: z.string().min(1).nullable(),
  fence: count,
  total: count.optional(),
})
