import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { packageRoot } from '../../package-root.ts'

export const contents = ['agenda', 'speakers', 'attendees'] as const
export type Content = (typeof contents)[number]

export type Fields = Readonly<Record<string, string | readonly string[]>>

export type Operation =
  | {
      readonly seq: number
      readonly op: 'upsert'
      readonly content: Content
      readonly uniqueId: string
      readonly fields: Fields
      readonly password?: string
    }
  | {
      readonly seq: number
      readonly op: 'remove'
      readonly content: Content
      readonly uniqueId: string
      readonly reason: string
    }

/** What is sent at once. Source: the contract's schema, `$defs/batch`. */
export interface Batch {
  readonly contract: '1.0'
  readonly integration: string
  /** a UUIDv7 */
  readonly run: string
  readonly planHash: string
  readonly fence: number
  readonly phase: 'upserts' | 'removals'
  readonly operations: readonly Operation[]
}

const published = JSON.parse(
  readFileSync(join(packageRoot, 'loaders', 'platform', 'contract', 'platform.schema.json'), 'utf8'),
)
const batchSchema = z.fromJSONSchema({ ...published, $ref: '#/$defs/batch' })

/** A batch that keeps to the contract, or what is wrong with it: a place and a rule, never a value. */
export type ReadBatch = { readonly batch: Batch } | { readonly fault: string }

/** Reads a body by the published schema, then by the rules that a schema cannot say. */
export function readBatch(bytes: Uint8Array): ReadBatch {
  const body = readJson(bytes)
  if (body === undefined) return { fault: 'the body is no JSON in UTF-8' }
  const read = batchSchema.safeParse(body)
  if (!read.success) return { fault: firstFault(read.error.issues) }
  // A JSON Schema gives no type; `Batch` says in TypeScript what the schema has just proved.
  const batch = read.data as Batch
  const fault = faultBeyondSchema(batch)
  return fault === null ? { batch } : { fault }
}

/** Strict where JSON is: no replaced bytes and no byte order mark. */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return undefined
  }
}

function faultBeyondSchema({ phase, operations }: Batch): string | null {
  let last = 0
  for (const [index, { seq, op, uniqueId }] of operations.entries()) {
    if (seq <= last) return `operations.${index}.seq: not above the one before`
    last = seq
    if ((op === 'remove') !== (phase === 'removals')) return `operations.${index}.op: not of this phase`
    // Half a character has no UTF-8 bytes, so such an item would have no place in the order of items.
    if (!uniqueId.isWellFormed()) return `operations.${index}.uniqueId: no Unicode text`
  }
  return null
}

/** Names the first fault; of an operation, by the one of its four forms that it comes nearest to. */
function firstFault(issues: readonly z.core.$ZodIssue[]): string {
  const [issue] = issues
  if (issue === undefined) return 'the batch is not as the schema has it'
  if (issue.code === 'invalid_union') {
    const isOfForm = (form: readonly z.core.$ZodIssue[]) =>
      !form.some(({ path }) => path[0] === 'op' || path[0] === 'content')
    const nearest = issue.errors.find(isOfForm)
    if (nearest !== undefined) return `${issue.path.join('.')}: ${firstFault(nearest)}`
  }
  return `${issue.path.join('.')}: ${issue.message}`
}
