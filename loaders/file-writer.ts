import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Bytes that are gathered before they are written. */
const BATCH_LENGTH = 65_536

/** What a finished file is made of. */
export interface WrittenFile {
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

/** Takes the text of a file that appears only when it is whole. */
export interface FileWriter {
  write(text: string): Promise<void>
  /** SHA-256 in hex of everything written so far. */
  digest(): string
}

/**
 * Writes a file beside its name, flushes it to the disk and renames it: under the final name there is the whole
 * file or what was there before. After a failure the half file is gone.
 */
export async function writeWhole(
  path: string,
  write: (writer: FileWriter) => Promise<void>,
): Promise<WrittenFile> {
  await mkdir(dirname(path), { recursive: true })
  const partial = `${path}.partial`
  const file = await open(partial, 'w')
  const hash = createHash('sha256')
  let bytes = 0
  let batch = ''

  async function flush(): Promise<void> {
    const buffer = Buffer.from(batch)
    batch = ''
    bytes += buffer.length
    hash.update(buffer)
    await file.writeFile(buffer)
  }

  try {
    await write({
      async write(text) {
        batch += text
        if (batch.length >= BATCH_LENGTH) await flush()
      },
      digest: () => hash.copy().update(batch).digest('hex'),
    })
    await flush()
    await file.sync()
    await file.close()
    await rename(partial, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(partial, { force: true })
    throw error
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Makes a rename durable; some systems cannot open a folder, and need no such thing. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
