import { createReadStream, openSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

/** Elements of a list as JSON text, ready to be sent. */
export interface PreparedList {
  readonly length: number
  /** Length of the text of `read`. */
  bytes(from: number, to: number): number
  /** Returns the elements from one index up to another, with commas between them. */
  read(from: number, to: number): Readable
}

const PIECE_CHARACTERS = 1_000_000

/**
 * Writes elements to a file once, so that serving them later takes hardly more than the kernel's time: the
 * measured command shares its cores with the server. The file is unlinked at once and disappears with the
 * process.
 */
export async function prepareList(elements: Iterable<unknown>, length: number): Promise<PreparedList> {
  const path = join(tmpdir(), `event-sync-list-${process.pid}-${Math.random().toString(36).slice(2)}`)
  const file = await open(path, 'wx')
  const fd = openSync(path, 'r')
  rmSync(path)
  /** Offset of each element, and the end of the last one. A comma follows each element. */
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
