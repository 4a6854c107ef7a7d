import { createReadStream, readFileSync, statSync } from 'node:fs'

const SMALL_BYTES = 65_536

/** Whether a file is read faster at once than through a stream, which costs more than ten times as much. */
export function isSmall(path: string): boolean {
  return statSync(path).size <= SMALL_BYTES
}

/** The bytes of a file in their order, never more than some at a time. */
export async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  if (isSmall(path)) yield readFileSync(path)
  else yield* createReadStream(path) as AsyncIterable<Buffer>
}
