import { basename } from 'node:path'
import { chunksOf } from './chunks.ts'
import { UnreadableFileError } from './read-regular.ts'

/** More than one item or operation ever has. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

/**
 * Lines of a file that end with LF alone, LF included; a U+2028 or CR within a line is text. The last one may lack its
 * LF.
 *
 * @throws UnreadableFileError for a line that no line can be
 */
export async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  let begunBytes = 0
  for await (const chunk of chunksOf(path)) {
    let from = 0
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, at + 1)])
      begun = []
      begunBytes = 0
      from = at + 1
    }
    if (from < chunk.length) begun.push(chunk.subarray(from))
    begunBytes += chunk.length - from
    if (begunBytes > MAX_LINE_BYTES)
      throw new UnreadableFileError(basename(path), `has a line of more than ${MAX_LINE_BYTES} bytes`)
  }
  if (begun.length > 0) yield Buffer.concat(begun)
}

const LF = 0x0a
