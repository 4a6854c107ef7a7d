import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { CONTENTS } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../../transforms/decide/platform-fields.ts'
import { flatFields } from '../../transforms/declare/field-values.ts'
import { parseJson } from '../../transforms/rules/values.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { toJsonLine } from '../files/json-line.ts'
import { hashFile, linesOf } from '../files/read.ts'
import { mask, noMask } from '../packs/csv-files/csv.ts'
import type { Finding, WholeManifest } from '../packs/csv-files/pack-format.ts'
import { fieldsSchema, uniqueIdSchema } from '../platform/http.ts'
import { OPERATIONS_FILE } from '../platform/jsonl.ts'
import type { Operation } from '../platform/target.ts'
import { readManifest } from './found-manifest.ts'
import { CUSTOM, cellsOfItem, makeTally, type Tally } from './rows.ts'

const runSchema = z.object({ type: z.literal('header'), integration: z.string(), run: z.string() })
const headerSchema = z.strictObject({ ...runSchema.shape, contract: z.string(), planHash: z.string() })
const hashSchema = z.object({ type: z.literal('trailer'), sha256: z.string() })
const trailerSchema = z.strictObject({ ...hashSchema.shape, operations: z.int() })

export interface CheckedOperations {
  readonly findings: readonly Finding[]
  /**
   * The counts and control totals of the operations in the file. Each unique ID is counted under the name
   * `<content> <op>`. Unique IDs in removals of handovers are counted under `<content> handover` instead.
   * Unique IDs in other removals are counted under `<content> because <reason>` too. The cells of upserts are
   * counted under `<content> fields`.
   */
  readonly tally: Tally
  /**
   * Contents with a removal of a forgotten person. The id of a forgotten person in this file differs from the
   * id in the pack's other files.
   */
  readonly forgotten: ReadonlySet<string>
}

/**
 * Checks `operations.jsonl` against its own trailer and against the manifest. Returns null if the pack has no
 * such file.
 */
export async function checkOperations(
  folder: string,
  manifest: WholeManifest,
): Promise<CheckedOperations | null> {
  const said = manifest.files.find(({ name }) => name === OPERATIONS_FILE)
  if (said === undefined) return null
  const tally = makeTally(OPERATIONS_FILE)
  const hiding = manifest.personalData === 'masked' ? mask : noMask
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
      if (operations >= 0) {
        const operation = operationSchema.safeParse(writtenIn(last))
        if (!operation.success || !isDeclared(operation.data))
          return finding(`line ${operations + 2} is not an operation`)
        const { content, op, uniqueId } = operation.data
        const reason = operation.data.op === 'remove' ? operation.data.reason : undefined
        // A handover first removes the previous person; a later upsert has the same unique ID.
        const isHandover = op === 'remove' && reason === 'handover'
        tally.add(`${content} ${isHandover ? reason : op}`, uniqueId)
        if (operation.data.op === 'upsert')
          tally.add(`${content} fields`, cellsOfItem(content, uniqueId, operation.data.fields, hiding))
        if (op === 'remove' && !isHandover) tally.add(`${content} because ${reason}`, uniqueId)
        if (reason === 'forgotten') forgotten.add(content)
      }
      operations += 1
    }
    first ??= writtenIn(line)
    last = line
  }
  const header = headerSchema.safeParse(first)
  const trailer = trailerSchema.safeParse(last?.at(-1) === 0x0a ? writtenIn(last) : null)
  if (!header.success || !trailer.success) return finding('lacks its header or its trailer')
  const { integration, run, planHash } = header.data
  if (integration !== manifest.integration || run !== manifest.run || planHash !== manifest.planHash)
    return finding('belongs to another run or plan than the manifest')
  if (trailer.data.operations !== operations || said.rows !== operations)
    return finding(
      `has ${counted(operations, 'operation')}, its trailer says ${trailer.data.operations}, the manifest ${said.rows}`,
    )
  if (trailer.data.sha256 !== hash.digest('hex')) return finding('does not have the SHA-256 in its trailer')
  return { findings: [], tally, forgotten }
}

/**
 * Parses a line of the file; returns null if its bytes are not exactly those that this product would write.
 * If the bytes could differ, a repeated key could mean something else to the platform.
 */
function writtenIn(line: Buffer): unknown {
  // A line with the key `__proto__` is refused here, because the schemas would ignore this key instead of
  // refusing it as an unknown field.
  if (!isUtf8(line) || line.includes('"__proto__":')) return null
  const value = jsonIn(line)
  return `${toJsonLine(value)}\n` === line.toString() ? value : null
}

function jsonIn(line: Buffer): unknown {
  try {
    return parseJson(line.toString())
  } catch {
    return null
  }
}

const FIELDS = {
  agenda: new Set(PLATFORM_FIELDS.agenda),
  attendees: new Set(PLATFORM_FIELDS.attendees),
  speakers: new Set(PLATFORM_FIELDS.speakers),
}

/** Returns true if every field of an upsert has a column in the CSV file of the upsert's content. */
function isDeclared(operation: z.output<typeof operationSchema>): boolean {
  if (operation.op === 'remove') return true
  return Object.keys(flatFields(operation.fields)).every(
    (name) => FIELDS[operation.content].has(name) || CUSTOM.test(name),
  )
}

const common = {
  seq: z.int().positive(),
  content: z.enum(CONTENTS),
  uniqueId: uniqueIdSchema,
}
/** The schema of an operation in the file, as `verify` and `run --refresh` read it. */
const operationSchema = z.discriminatedUnion('op', [
  z.strictObject({ ...common, op: z.literal('upsert'), fields: fieldsSchema }),
  z.strictObject({ ...common, op: z.literal('remove'), reason: z.string() }),
])

/**
 * Maximum time by which the time in a run id may be later than the clock. A wrong clock cannot explain a
 * larger difference between run id and clock.
 */
const AHEAD_MS = 31 * 86_400_000

/**
 * Returns true if a folder contains the complete operations of a run. A run writes its operations before the
 * rest of its pack, and the operations file appears only when it is complete. If the operations are
 * incomplete, or if the folder's name cannot be a run id, someone else made the folder.
 *
 * @param isOwn returns true for the id of the integration, and for its former ids
 */
export async function hasOperations(
  folder: string,
  isOwn: (integration: string) => boolean,
  nowMs: number,
): Promise<boolean> {
  const name = basename(folder)
  const begunMs = Number.parseInt(name.replace('-', '').slice(0, 12), 16)
  if (!z.uuidv7().safeParse(name).success || begunMs > nowMs + AHEAD_MS) return false
  try {
    for await (const line of linesOf(join(folder, OPERATIONS_FILE))) {
      const header = runSchema.safeParse(jsonIn(line))
      if (header.data === undefined || !isOwn(header.data.integration) || header.data.run !== name)
        return false
      break
    }
    for await (const { op } of readOperations(folder)) if (op === undefined) return false
    return true
  } catch (error) {
    // After a disk error, nobody knows if the file is complete.
    if (error instanceof Error && 'code' in error && error.code !== 'ENOENT') throw error
    return false
  }
}

/**
 * Reads the operations of a run. Also compares the file with the pack's manifest and with the file's own
 * trailer.
 *
 * @throws Error if the file is missing or differs. The error may come only after the last operation; in this
 *   case nobody knows what was sent to the platform
 */
export async function* readOperations(folder: string): AsyncGenerator<Operation> {
  const path = join(folder, OPERATIONS_FILE)
  const found = readManifest(folder, null)
  const said = found?.manifest?.files.find(({ name }) => name === OPERATIONS_FILE)
  const there = existsSync(path) ? await hashFile(path) : null
  if (there === null || (found !== null && there.sha256 !== said?.sha256))
    throw notAsWritten(path, 'its manifest')
  const hash = createHash('sha256')
  let isWhole = false
  for await (const line of linesOf(path)) {
    const value = jsonIn(line)
    const trailer = hashSchema.safeParse(value)
    isWhole = trailer.success && trailer.data.sha256 === hash.copy().digest('hex')
    hash.update(line)
    if (typeof value === 'object' && value !== null && 'op' in value) yield operationSchema.parse(value)
  }
  if (!isWhole) throw notAsWritten(path, 'its last line')
}

function notAsWritten(path: string, how: string): Error {
  return new Error(
    `${path} is missing or does not match ${how}, so it is unknown what was sent to the platform; \`event-sync verify ${dirname(path)}\` says more`,
  )
}
