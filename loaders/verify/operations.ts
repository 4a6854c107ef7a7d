import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import type { Finding } from '../audit/csv-files/finding.ts'
import type { Manifest } from '../audit/csv-files/manifest.ts'
import { linesOf } from '../files/lines.ts'
import { OPERATIONS_FILE } from '../platform/jsonl.ts'
import { makeTally, type Tally } from './tally.ts'

const headerSchema = z.object({
  type: z.literal('header'),
  integration: z.string(),
  run: z.string(),
  planHash: z.string(),
})
const operationSchema = z.object({
  op: z.enum(['upsert', 'remove']),
  content: z.string(),
  uniqueId: z.string(),
  reason: z.string().optional(),
})
const trailerSchema = z.object({
  type: z.literal('trailer'),
  operations: z.int(),
  sha256: z.string(),
})

export interface CheckedOperations {
  readonly findings: readonly Finding[]
  /** Unique IDs by `<content> <op>`. */
  readonly tally: Tally
  /** Contents from which somebody is removed who was forgotten: this file alone has the ids that the platform knows. */
  readonly forgotten: ReadonlySet<string>
}

/** Holds `operations.jsonl` against its own trailer and the manifest; null where the platform takes no such file. */
export async function checkOperations(folder: string, manifest: Manifest): Promise<CheckedOperations | null> {
  const said = manifest.files.find(({ name }) => name === OPERATIONS_FILE)
  if (said === undefined) return null
  const tally = makeTally(OPERATIONS_FILE)
  const forgotten = new Set<string>()
  const finding = (message: string): CheckedOperations => {
    return { findings: [{ file: OPERATIONS_FILE, message }], tally, forgotten }
  }
  const hash = createHash('sha256')
  let first: unknown
  let last: Buffer | null = null
  let operations = -1
  for await (const line of linesOf(join(folder, OPERATIONS_FILE))) {
    if (last !== null) {
      hash.update(last)
      const operation = operationSchema.safeParse(toJson(last))
      if (operations >= 0) {
        if (!operation.success) return finding(`line ${operations + 2} is no operation`)
        tally.add(`${operation.data.content} ${operation.data.op}`, operation.data.uniqueId)
        if (operation.data.reason === 'forgotten') forgotten.add(operation.data.content)
      }
      operations += 1
    }
    first ??= toJson(line)
    last = line
  }
  const header = headerSchema.safeParse(first)
  const trailer = trailerSchema.safeParse(last?.at(-1) === 0x0a ? toJson(last) : null)
  if (!header.success || !trailer.success) return finding('has no header and trailer')
  const { integration, run, planHash } = header.data
  if (integration !== manifest.integration || run !== manifest.run || planHash !== manifest.planHash)
    return finding('is of another run or plan than the manifest')
  if (trailer.data.operations !== operations || said.rows !== operations)
    return finding(
      `has ${operations} operations, its trailer says ${trailer.data.operations}, the manifest ${said.rows}`,
    )
  if (trailer.data.sha256 !== hash.digest('hex')) return finding('does not have the SHA-256 of its trailer')
  return { findings: [], tally, forgotten }
}

function toJson(line: Buffer): unknown {
  if (!isUtf8(line)) return null
  try {
    return JSON.parse(line.toString())
  } catch {
    return null
  }
}
