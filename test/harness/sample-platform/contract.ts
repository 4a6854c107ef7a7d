import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { parseJson } from '../../../transforms/rules/values.ts'

export const contents = ['agenda', 'speakers', 'attendees'] as const
export type Content = (typeof contents)[number]

type Value = string | readonly string[] | number | boolean | { readonly rawJSON: string }

export type Fields = Readonly<Record<string, Value | Readonly<Record<string, Value>>>>

interface OfItem {
  readonly seq: number
  readonly content: Content
  readonly uniqueId: string
}

export type Operation =
  | (OfItem & {
      readonly op: 'upsert'
      readonly fields: Fields
      readonly password?: string
      readonly storeEncryptedPassword?: true
    })
  | (OfItem & { readonly op: 'remove'; readonly reason: string })

/** The keys of a batch that influence its result. The keys follow `$defs/batch` of the contract's schema. */
export interface Batch {
  readonly integration: string
  readonly run: string
  readonly fence: number
  readonly phase: 'upserts' | 'removals'
  readonly operations: readonly Operation[]
}

const published = JSON.parse(
  readFileSync(join(packageRoot, 'loaders', 'platform', 'contract', 'platform.schema.json'), 'utf8'),
)
const batchSchema = z.fromJSONSchema({ ...published, $ref: '#/$defs/batch' })
/** Checks the platform's own lists of items by the published schema. */
export const itemsSchema = z.fromJSONSchema({ ...published, $ref: '#/$defs/items' })

/**
 * Reads the body of a batch by the published schema, then by rules that a schema cannot express. Returns null
 * if the body breaks the schema or one of these rules.
 */
export function readBatch(bytes: Uint8Array): Batch | null {
  const text = textOf(bytes)
  if (text === null || !batchSchema.safeParse(JSON.parse(text)).success) return null
  // The text is parsed again, because `parseJson` preserves the digits of numbers. The cast is safe: the
  // schema has just checked the shape of `Batch`.
  const batch = parseJson(text) as Batch
  return keepsRulesBeyondSchema(batch) ? batch : null
}

/**
 * Decodes a JSON body; returns null if the body is not UTF-8 or not JSON. A byte order mark is not accepted.
 */
function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    JSON.parse(text)
    return text
  } catch {
    return null
  }
}

function keepsRulesBeyondSchema({ phase, operations }: Batch): boolean {
  return operations.every(
    (operation, index) =>
      operation.seq > (operations[index - 1]?.seq ?? 0) &&
      (operation.op === 'remove') === (phase === 'removals') &&
      !('storeEncryptedPassword' in operation && operation.password === undefined) &&
      // Items are sorted by the UTF-8 bytes of their ids, and a lone surrogate has no UTF-8 bytes. Therefore
      // an id with a lone surrogate is refused.
      operation.uniqueId.isWellFormed(),
  )
}
