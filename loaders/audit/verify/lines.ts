import { createReadStream } from 'node:fs'

/**
 * Lines of a file that end with LF alone, LF included; a U+2028 or CR within a line is text. The last one may lack its
 * LF.
 */
export async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, at + 1)])
      begun = []
      from = at + 1
    }
    if (from < chunk.length) begun.push(chunk.subarray(from))
  }
  if (begun.length > 0) yield Buffer.concat(begun)
}

const LF = 0x0a
