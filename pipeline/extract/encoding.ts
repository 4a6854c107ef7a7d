import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ReadError } from './read-error.ts'

/**
 * The bytes of a body as its text has them.
 *
 * @throws ReadError for any encoding but gzip, the only one that is asked for, and where gzip breaks off
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
    throw new ReadError('the answer is compressed in another way than gzip', { retryable: false })
  }
  // A fault of either stream ends the other, and reaches whoever reads.
  const unzipped = pipeline(body, createGunzip(), () => undefined)
  try {
    yield* unzipped
  } catch (error) {
    if (!isZlibError(error)) throw error
    throw new ReadError('the compressed answer is broken or cut short', { retryable: true, cause: error })
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}
