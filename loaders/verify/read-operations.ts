import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../transforms/rules/json.ts'
import { hashFile } from '../files/hash-file.ts'
import { linesOf } from '../files/lines.ts'
import { fieldsSchema } from '../platform/answers.ts'
import { OPERATIONS_FILE } from '../platform/jsonl.ts'
import type { Operation } from '../platform/target.ts'
import { readManifest } from './found-manifest.ts'

const common = {
  seq: z.int().positive(),
  content: z.enum(['agenda', 'speakers', 'attendees']),
  uniqueId: z.string(),
}
const operationSchema = z.discriminatedUnion('op', [
  z.object({
    ...common,
    op: z.literal('upsert'),
    fields: fieldsSchema,
  }),
  z.object({ ...common, op: z.literal('remove'), reason: z.string() }),
])

const headerSchema = z.object({ type: z.literal('header'), integration: z.string(), run: z.string() })
const trailerSchema = z.object({ type: z.literal('trailer'), sha256: z.string() })

/** Whether the folder of a run has its operations: they are written before the rest of the pack, whole or not at all. */
export async function hasOperations(folder: string, integrationId: string): Promise<boolean> {
  const path = join(folder, OPERATIONS_FILE)
  if (!existsSync(path)) return false
  for await (const line of linesOf(path)) {
    const header = headerSchema.safeParse(toJson(line))
    return header.data?.integration === integrationId && header.data.run === basename(folder)
  }
  return false
}

/**
 * The operations of a run, if they are to the byte what the manifest of its pack says, or where it has none, their trailer.
 *
 * @throws where they are not there, or are others, at the latest after the last: then nobody knows what the platform has
 */
export async function* readOperations(folder: string): AsyncGenerator<Operation> {
  const path = join(folder, OPERATIONS_FILE)
  const found = readManifest(folder, null)
  const said = found?.manifest?.files.find(({ name }) => name === OPERATIONS_FILE)
  const there = existsSync(path) ? await hashFile(path) : null
  if (there === null || (found !== null && there.sha256 !== said?.sha256))
    throw notAsWritten(path, 'its manifest says')
  const hash = createHash('sha256')
  let isWhole = false
  for await (const line of linesOf(path)) {
    const value = toJson(line)
    const trailer = trailerSchema.safeParse(value)
    isWhole = trailer.success && trailer.data.sha256 === hash.copy().digest('hex')
    hash.update(line)
    if (typeof value === 'object' && value !== null && 'op' in value) yield operationSchema.parse(value)
  }
  if (!isWhole) throw notAsWritten(path, 'its last line says')
}

function notAsWritten(path: string, how: string): Error {
  return new Error(
    `${path} is not there as ${how}, so that nobody knows what the platform was told; \`event-sync verify ${dirname(path)}\` says more`,
  )
}

function toJson(line: Buffer): unknown {
  try {
    return parseJson(line.toString())
  } catch {
    return null
  }
}
