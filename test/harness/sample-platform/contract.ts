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

/** Describes what of a batch decides what becomes of it. Source: the contract's schema, `$defs/batch`. */
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
/** Answers of the platform, by the published schema. */
export const itemsSchema = z.fromJSONSchema({ ...published, $ref: '#/$defs/items' })

/** Reads a body by the published schema, then by the rules that a schema cannot say; null where it breaks one. */
export function readBatch(bytes: Uint8Array): Batch | null {
  const text = textOf(bytes)
  if (text === null || !batchSchema.safeParse(JSON.parse(text)).success) return null
  // Again, since numbers keep their digits here; the schema has just proved what `Batch` says.
  const batch = parseJson(text) as Batch
  return keepsRulesBeyondSchema(batch) ? batch : null
}

/** The text of a body of JSON: no replaced bytes, and no byte order mark. */
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
      // Half a character has no UTF-8 bytes, so such an item would have no place in the order of items.
      operation.uniqueId.isWellFormed(),
  )
}
