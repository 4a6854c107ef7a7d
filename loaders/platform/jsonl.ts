import { join } from 'node:path'
import { writeWhole } from '../files/file-writer.ts'
import { toJsonLine } from '../files/json-line.ts'
import type { Operation, PlanHeader, PlatformTarget } from './target.ts'

export const OPERATIONS_FILE = 'operations.jsonl'

export function jsonlTarget(folder: string): PlatformTarget {
  return {
    async apply(header, outbox) {
      await writeOperations(folder, header, outbox.operations())
      await outbox.acknowledgeAll()
    },
  }
}

/**
 * Writes operations as JSON Lines, with a header and a trailer (count, hash). Only a file with a trailer gets
 * the final name.
 */
export function writeOperations(folder: string, header: PlanHeader, operations: AsyncIterable<Operation>) {
  return writeWhole(join(folder, OPERATIONS_FILE), async ({ write, digest }) => {
    const line = (value: unknown) => write(`${toJsonLine(value)}\n`)
    await line({ type: 'header', ...header })
    let count = 0
    for await (const operation of operations) {
      await line(operation)
      count += 1
    }
    await line({ type: 'trailer', operations: count, sha256: digest() })
  })
}
