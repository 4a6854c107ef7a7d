import { z } from 'zod'
import { contents } from './contract.ts'
import { faultSchema } from './faults.ts'

/** One effect, in the order in which they happened since the storage was new. */
const ledgerEntry = z.object({
  /** 1, 2, 3, … */
  n: z.int(),
  run: z.string(),
  key: z.string(),
  seq: z.int(),
  op: z.enum(['upsert', 'remove']),
  content: z.enum(contents),
  uniqueId: z.string(),
  effect: z.enum(['created', 'updated', 'unchanged', 'removed']),
  /** Whether the operation had a password; only a creation uses it. */
  passwordGiven: z.boolean(),
})

const storedItem = z.object({
  uniqueId: z.string(),
  fields: z.record(z.string(), z.union([z.string(), z.array(z.string()).readonly()])),
  hasPassword: z.boolean(),
})

const request = z.object({
  method: z.string(),
  /** As sent. */
  path: z.string(),
  /** Null as long as none was sent. */
  status: z.int().nullable(),
})

const danglingReference = z.object({
  content: z.enum(contents),
  uniqueId: z.string(),
  field: z.string(),
  /** Unique ID of what is not there. */
  missing: z.string(),
})

/** What stands below `/control/`, by its last part. */
export const controlAnswers = {
  ledger: z.object({ ledger: z.array(ledgerEntry).readonly() }),
  state: z.object({
    items: z.object({
      agenda: z.array(storedItem).readonly(),
      speakers: z.array(storedItem).readonly(),
      attendees: z.array(storedItem).readonly(),
    }),
    fences: z.record(z.string(), z.int()),
    keys: z.int(),
  }),
  requests: z.object({ requests: z.array(request).readonly() }),
  dangling: z.object({ dangling: z.array(danglingReference).readonly() }),
  faults: z.object({ faults: z.array(faultSchema).readonly() }),
  password: z.object({ matches: z.boolean() }),
} as const

export type ControlName = keyof typeof controlAnswers
export type ControlAnswer<Name extends ControlName> = z.output<(typeof controlAnswers)[Name]>
export type LedgerEntry = Readonly<z.infer<typeof ledgerEntry>>
export type RequestEntry = Readonly<z.infer<typeof request>>
export type DanglingReference = Readonly<z.infer<typeof danglingReference>>
