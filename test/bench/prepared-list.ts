import { createReadStream, openSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

/** The elements of a list as JSON text, stored in a file so that parts can be sent quickly. */
export interface PreparedList {
  readonly length: number
  /** Returns the length in bytes of the text that `read` returns. */
  bytes(from: number, to: number): number
  /** Returns the elements from index `from` up to, but not including, `to`, with commas between them. */
  read(from: number, to: number): Readable
}

const PIECE_CHARACTERS = 1_000_000

/**
 * Writes elements to a file once, so that serving these elements later takes hardly any time. A slow server
 * would slow down the measured command, because server and command share the processor cores. The file is
 * unlinked at once, so it disappears at the end of the process.
 */
export async function prepareList(elements: Iterable<unknown>, length: number): Promise<PreparedList> {
  const path = join(tmpdir(), `event-sync-list-${process.pid}-${Math.random().toString(36).slice(2)}`)
  const file = await open(path, 'wx')
  const fd = openSync(path, 'r')
  rmSync(path)
  /**
   * Offset of each element in the file, and the offset of the end of the last element. A comma follows each
   * element.
   */
  const starts = new Float64Array(length + 1)
  let [index, at, piece] = [0, 0, '']
  for (const element of elements) {
    const text = `${JSON.stringify(element)},`
    at += Buffer.byteLength(text)
    index += 1
    starts[index] = at
    piece += text
    if (piece.length < PIECE_CHARACTERS) continue
    await file.appendFile(piece)
    piece = ''
  }
  await file.appendFile(piece)
  await file.close()
  const startOf = (place: number) => starts[place] ?? 0
  const bytes = (from: number, to: number) => (to > from ? startOf(to) - startOf(from) - 1 : 0)
  return {
    length,
    bytes,
    read: (from, to) =>
      createReadStream('', {
        fd,
        autoClose: false,
        start: startOf(from),
        end: startOf(from) + bytes(from, to) - 1,
        highWaterMark: 262_144,
      }),
  }
}
