import { existsSync } from 'node:fs'
import { join } from 'node:path'
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

/**
 * The operations of a pack, if they are to the byte what its manifest says.
 *
 * @throws where they are not there, or are others: then nobody knows what the platform has
 */
export async function* readOperations(folder: string): AsyncGenerator<Operation> {
  const path = join(folder, OPERATIONS_FILE)
  const found = await readManifest(folder)
  const said = found?.manifest?.files.find(({ name }) => name === OPERATIONS_FILE)
  const there = said !== undefined && existsSync(path) ? await hashFile(path) : null
  if (there === null || there.sha256 !== said?.sha256) {
    throw new Error(
      `${path} is not there as its manifest says, so that nobody knows what the platform was told; \`event-sync verify ${folder}\` says more`,
    )
  }
  for await (const line of linesOf(path)) {
    const value: unknown = parseJson(line.toString())
    if (typeof value === 'object' && value !== null && 'op' in value) yield operationSchema.parse(value)
  }
}
