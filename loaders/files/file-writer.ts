import { createHash } from 'node:crypto'
import { chmod, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { chunksOf } from './read.ts'

/**
 * Number of characters that the writer collects before it writes them to the file. In UTF-8, each UTF-16 unit
 * of a text takes at most 3 bytes.
 */
const BATCH_LENGTH = 65_536
const BUFFER_BYTES = 3 * BATCH_LENGTH

/** The permission bits of new files and folders, by who can read them besides their owner. */
const BITS = {
  private: { file: 0o600, folder: 0o700 },
  group: { file: 0o640, folder: 0o750 },
  public: { file: 0o644, folder: 0o755 },
} as const

/** Who can read new files besides their owner: nobody, the group, or every user of the machine. */
export type OutputMode = keyof typeof BITS

export interface WrittenFile {
  readonly bytes: number
  readonly sha256: string
}

/** Receives the text of a file; the file gets its final name only when the text is complete. */
export interface FileWriter {
  write(text: string): Promise<void>
  digest(): string
}

export interface WriteOptions {
  readonly mode: OutputMode
  /** Called when the file is complete, before it gets its final name. */
  readonly beforeNamed?: ((written: WrittenFile) => Promise<void>) | undefined
  /** Name of the unfinished file; must be unique if several processes may write at the same time. */
  readonly partial?: string
}

/**
 * Writes a file under a temporary name, flushes it and renames it. The file with the final name is therefore
 * always complete: it has either its old or its new bytes. After an error, the partial file is deleted.
 */
export async function writeWhole(
  path: string,
  write: (writer: FileWriter) => Promise<void>,
  { mode, beforeNamed, partial = `${path}.partial` }: WriteOptions,
): Promise<WrittenFile> {
  try {
    await makeFolder(dirname(path), mode)
    return await writeBeside(path, write, { mode, beforeNamed, partial })
  } catch (error) {
    throw toFullDisk(path, error) ?? error
  }
}

async function writeBeside(
  path: string,
  write: (writer: FileWriter) => Promise<void>,
  { mode, beforeNamed, partial }: Required<WriteOptions>,
): Promise<WrittenFile> {
  // If an earlier process died, the temporary name may still be a hard link to a file of another pack.
  // Writing to a hard link would change the other pack too, so the temporary name is deleted first.
  await rm(partial, { force: true })
  const file = await openNew(partial, mode)
  const hash = createHash('sha256')
  // All batches of a file use one buffer. A new buffer for each batch would fill memory outside the heap
  // until garbage collection.
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  const encoder = new TextEncoder()
  let bytes = 0
  let batch = ''

  async function flush(): Promise<void> {
    let left = batch
    batch = ''
    while (left !== '') {
      const { read, written } = encoder.encodeInto(left, buffer)
      left = left.slice(read)
      const part = buffer.subarray(0, written)
      hash.update(part)
      bytes += written
      await file.writeFile(part)
    }
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
    const written = { bytes, sha256: hash.digest('hex') }
    await beforeNamed?.(written)
    await moveWhole(partial, path)
    return written
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(partial, { force: true })
    throw error
  }
}

/**
 * Creates a file for writing; the name must be free. The umask belongs to the whole process, and so to the caller of
 * the library. It is not changed, and the mode does not depend on it.
 */
async function openNew(path: string, mode: OutputMode, flags: 'wx' | 'ax' = 'wx'): Promise<FileHandle> {
  const bits = BITS[mode].file
  const file = await open(path, flags, bits)
  // The umask may have taken bits away. Some network disks refuse a change of bits, so it is not tried without need.
  if (lacks(await file.stat(), bits)) await file.chmod(bits)
  return file
}

/** Adds a text at the end of a file. If the file is missing, it is created. */
export async function appendText(path: string, text: string, mode: OutputMode): Promise<void> {
  const file = await openNew(path, mode, 'ax').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return open(path, 'a')
    throw error
  })
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}

/**
 * Writes a new file from chunks of bytes, and flushes it. The name must be free. The file has its
 * final name while it is still incomplete. So the caller writes it in another folder and moves it at the end.
 */
export async function writeBytes(
  path: string,
  mode: OutputMode,
  write: (append: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  const file = await openNew(path, mode)
  try {
    await write((bytes) => file.writeFile(bytes))
    await file.sync()
  } catch (error) {
    throw toFullDisk(path, error) ?? error
  } finally {
    await file.close()
  }
}

/**
 * Copies a plain file byte for byte, and flushes the copy. The name of the copy must be free. The caller
 * flushes the folder of the copy, with `syncFolder`.
 *
 * @throws UnreadableFileError if the path is a folder, link or pipe
 */
export async function copyPlain(from: string, to: string, mode: OutputMode): Promise<void> {
  await writeBytes(to, mode, async (append) => {
    for await (const chunk of chunksOf(from)) await append(chunk)
  })
}

export async function moveWhole(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncFolder(dirname(to))
}

/** Removes a file. When the function returns, the removal is durable: a crash cannot undo it. */
export async function removeWhole(path: string): Promise<void> {
  await rm(path, { force: true })
  await syncFolder(dirname(path))
}

/** Creates a folder and the folders above it, as far as they are missing. */
export async function makeFolder(path: string, mode: OutputMode): Promise<void> {
  const bits = BITS[mode].folder
  const first = await mkdir(path, { recursive: true, mode: bits })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) {
    if (lacks(await stat(made), bits)) await chmod(made, bits)
    await syncFolder(dirname(made))
  }
}

function lacks({ mode }: { readonly mode: number }, bits: number): boolean {
  return (mode & bits) !== bits
}

/**
 * Makes a rename or removal durable by flushing the folder. On Windows this does nothing: Windows cannot open
 * a folder, and does not need this step.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Messages for error codes of a write that failed because the disk or quota is full. */
const FULL: ReadonlyMap<unknown, string> = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EFBIG', 'the file would be larger than the system allows'],
])

function toFullDisk(path: string, cause: unknown): Error | null {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null
  const why = FULL.get(code)
  if (why === undefined) return null
  return new Error(
    `${path} cannot be written: ${why} (${code}); no part of it was left behind; free some space or raise the limit, and run again`,
    { cause },
  )
}
