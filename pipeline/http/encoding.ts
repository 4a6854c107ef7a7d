import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ReadError } from './read-error.ts'

/** JSON shrinks to a tenth, at most to a fiftieth; a bomb to a thousandth. A small answer may have any ratio. */
const MAX_RATIO = 200
const ANY_RATIO_BYTES = 16 * 1024 * 1024

/**
 * Decompresses a body.
 *
 * @throws ReadError for any encoding but gzip, the only one that is asked for; where gzip breaks off; where it unpacks to more
 *   than text does
 */
export async function* decompressed(
  body: Readable | null,
  headers: { get(name: string): string | null },
): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') {
    yield* body
    return
  }
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    body.destroy()
    throw new ReadError('the answer is compressed in another way than gzip')
  }
  // A fault of either stream ends the other, and reaches the reader.
  const gunzip = createGunzip()
  const unzipped = pipeline(body, gunzip, () => undefined)
  let bytes = 0
  try {
    for await (const chunk of unzipped) {
      bytes += chunk.length
      if (bytes > ANY_RATIO_BYTES && bytes > gunzip.bytesWritten * MAX_RATIO) {
        throw new ReadError(`the answer unpacks to more than ${MAX_RATIO} times its size`)
      }
      yield chunk
    }
  } catch (error) {
    if (!isZlibError(error)) throw error
    throw new ReadError('the compressed answer is broken or cut short', { retryable: true, cause: error })
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}
