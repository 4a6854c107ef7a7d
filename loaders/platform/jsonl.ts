import { join } from 'node:path'
import { type FileWriter, type OutputMode, writeWhole } from '../files/file-writer.ts'
import { toJsonLine } from '../files/json-line.ts'
import type { Operation, PlanHeader, PlatformTarget } from './target.ts'

export const OPERATIONS_FILE = 'operations.jsonl'

export function jsonlTarget(folder: string, mode: OutputMode): PlatformTarget {
  return {
    async apply(header, outbox) {
      await writeOperations(folder, header, outbox.operations(), mode)
      await outbox.acknowledgeAll()
    },
  }
}

/**
 * Writes operations as JSON Lines. The file begins with a header line and ends with a trailer line, which has
 * the number of operations and a hash. The file gets its final name only after the trailer is written.
 */
export function writeOperations(
  folder: string,
  header: PlanHeader,
  operations: AsyncIterable<Operation>,
  mode: OutputMode,
) {
  const writeLines = async ({ write, digest }: FileWriter) => {
    const line = (value: unknown) => write(`${toJsonLine(value)}\n`)
    await line({ type: 'header', ...header })
    let count = 0
    for await (const operation of operations) {
      await line(operation)
      count += 1
    }
    await line({ type: 'trailer', operations: count, sha256: digest() })
  }
  return writeWhole(join(folder, OPERATIONS_FILE), writeLines, { mode })
}
