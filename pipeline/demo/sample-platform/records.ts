import { z } from 'zod'
import { contents } from './contract.ts'

const result = z.object({
  seq: z.int(),
  status: z.enum(['created', 'updated', 'unchanged', 'removed', 'failed']),
  code: z.string().optional(),
  retryable: z.boolean().optional(),
})

const effect = z.object({
  seq: z.int(),
  op: z.enum(['upsert', 'remove']),
  content: z.enum(contents),
  uniqueId: z.string(),
  effect: z.enum(['created', 'updated', 'unchanged', 'removed']),
  /** Whether the operation had a password, used or not. */
  passwordGiven: z.boolean(),
  /** Of an item that is created or updated: what it is from now on. */
  fields: z.record(z.string(), z.union([z.string(), z.array(z.string()).readonly()])).optional(),
  /** Of an item that is created. */
  passwordHash: z.string().optional(),
})

const header = z.object({ record: z.literal('header'), contract: z.literal('1.0'), eventId: z.string() })

/** A batch that was answered with results: whole on one line, so that it is there whole or not at all. */
const taken = z.object({
  record: z.literal('batch'),
  integration: z.string(),
  run: z.string(),
  fence: z.int(),
  phase: z.enum(['upserts', 'removals']),
  key: z.string(),
  /** Of the body's bytes. */
  sha256: z.string(),
  results: z.array(result).readonly(),
  effects: z.array(effect).readonly(),
})

/** A key that came with a batch that was refused: it stands for those bytes, and has no answer yet. */
const seenKey = z.object({ record: z.literal('key'), key: z.string(), sha256: z.string() })

/** One line of the journal. */
export const recordSchema = z.discriminatedUnion('record', [header, taken, seenKey])

export type Result = Readonly<z.infer<typeof result>>
export type Effect = Readonly<z.infer<typeof effect>>
export type JournalRecord = Readonly<z.infer<typeof recordSchema>>
