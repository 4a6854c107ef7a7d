import { z } from 'zod'

/**
 * The platform's answers, as `contract/platform.schema.json` has them; keys beside those are passed over, so that a
 * platform may say more than it must.
 */
const code = z.string().regex(/^[a-z0-9_]{1,64}$/)

export const resultsSchema = z.object({
  results: z.array(
    z.object({
      seq: z.int().positive(),
      status: z.enum(['created', 'updated', 'unchanged', 'removed', 'failed']),
      code: code.optional(),
      retryable: z.boolean().optional(),
    }),
  ),
})

export const refusalSchema = z.object({ error: code, fence: z.int().nonnegative().optional() })

export const itemsSchema = z.object({
  items: z.array(
    z.object({
      uniqueId: z.string().min(1),
      fields: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    }),
  ),
  next: z.string().min(1).nullable(),
  fence: z.int().nonnegative(),
})
