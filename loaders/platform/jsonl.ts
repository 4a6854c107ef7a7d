import { join } from 'node:path'
import { type WrittenFile, writeWhole } from '../file-writer.ts'
import type { Operation, PlanHeader, PlatformTarget } from './target.ts'

/** File that a platform, or whoever feeds it, takes the operations from. */
export const OPERATIONS_FILE = 'operations.jsonl'

/**
 * Writes operations into the pack of a run.
 *
 * @param folder of the run's pack
 * Source: design 8 (contract).
 */
export function jsonlTarget(folder: string): PlatformTarget {
  return {
    async apply(header, outbox) {
      await writeOperations(folder, header, outbox.operations())
      await outbox.acknowledgeAll()
    },
  }
}

/**
 * Writes operations as JSON Lines: a header, one line an operation, a trailer with count and hash. A file without its
 * trailer never has the final name.
 */
export function writeOperations(
  folder: string,
  header: PlanHeader,
  operations: AsyncIterable<Operation>,
): Promise<WrittenFile> {
  return writeWhole(join(folder, OPERATIONS_FILE), async ({ write, digest }) => {
    const line = (value: unknown) => write(`${JSON.stringify(value)}\n`)
    await line({ type: 'header', ...header })
    let count = 0
    for await (const operation of operations) {
      await line(operation)
      count += 1
    }
    await line({ type: 'trailer', operations: count, sha256: digest() })
  })
}
