import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { closeSync, constants, createReadStream, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'

const SMALL_BYTES = 65_536

/**
 * Returns true if a file is small enough to be read at once. A stream takes more than ten times as long for a
 * small file.
 */
export function isSmall(path: string): boolean {
  return statSync(path).size <= SMALL_BYTES
}

/**
 * Reads the bytes of a file in chunks. Reading stops at the size that the file had when it was opened.
 *
 * @throws UnreadableFileError if the path is a folder, link or pipe
 */
export async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = openToRead(path)
  const { size } = fstatSync(file)
  if (size <= SMALL_BYTES) {
    try {
      yield readFileSync(file)
    } finally {
      closeSync(file)
    }
  } else yield* createReadStream('', { fd: file, start: 0, end: size - 1 }) as AsyncIterable<Buffer>
}

function openToRead(path: string): number {
  try {
    const file = openPlain(path)
    if (file === null) throw Object.assign(new Error(`${path} is not there`), { code: 'ENOENT' })
    return file
  } catch (error) {
    throw toMove(path, error)
  }
}

/** Adds the path and advice to an error about a file that a command needs but cannot safely read. */
function toMove(path: string, error: unknown): unknown {
  if (!(error instanceof UnreadableFileError)) return error
  return new UnreadableFileError(error.file, `${path} ${error.message}; move it away`, { cause: error })
}

export async function hashFile(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of chunksOf(path)) {
    bytes += chunk.length
    hash.update(chunk)
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Maximum size of a line in bytes; every line with an item or operation is smaller. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

/**
 * Reads the lines of a file; each line includes its LF. Only an LF ends a line; other line separators, such
 * as CR and U+2028, are text. The last line of the file may lack an LF.
 *
 * @throws UnreadableFileError if a line is longer than any valid line
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

/** Maximum size in bytes of a file that is read at once. */
const MAX_WHOLE_BYTES = 256 * 1024 * 1024

/**
 * Reads a whole plain file, if the file exists.
 *
 * @returns null if the file or its folder is missing
 * @throws UnreadableFileError
 */
export function readIfThere(path: string): Buffer | null {
  try {
    return readRegular(dirname(path), basename(path), MAX_WHOLE_BYTES)
  } catch (error) {
    throw toMove(path, error)
  }
}

/**
 * Thrown if a file must not be read further. The path is not a plain file, the file is too large, or its form
 * does not fit its name.
 */
export class UnreadableFileError extends Error {
  readonly file: string

  constructor(file: string, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.name = 'UnreadableFileError'
    this.file = file
  }
}

// `O_NOFOLLOW` refuses to open a link. `O_NONBLOCK` prevents endless waiting for a pipe that has no writer.
// Windows has neither flag.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Reads a whole file, which must be a plain file.
 *
 * @returns null if the file does not exist
 * @throws UnreadableFileError
 */
export function readRegular(folder: string, name: string, maxBytes: number): Buffer | null {
  const file = openPlain(join(folder, name))
  if (file === null) return null
  try {
    const stat = fstatSync(file)
    if (stat.size > maxBytes) throw new UnreadableFileError(name, tooLarge(stat.size, maxBytes))
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** Returns the message about a file that is larger than any file that this product writes under this name. */
export function tooLarge(bytes: number, maxBytes: number): string {
  return `has ${bytes} bytes; the most allowed for this file is ${maxBytes}`
}

/** Opens a plain file; returns null if the file does not exist. @throws UnreadableFileError */
function openPlain(path: string): number | null {
  const file = openIfThere(path)
  if (file === null || fstatSync(file).isFile()) return file
  closeSync(file)
  throw notPlain(path)
}

function notPlain(path: string, cause?: unknown): UnreadableFileError {
  return new UnreadableFileError(basename(path), 'is a link or a folder, not a file', { cause })
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, FLAGS)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (code === 'ELOOP' || code === 'ENXIO') throw notPlain(path, error)
    throw error
  }
}

/**
 * Parses JSON that this product wrote.
 *
 * @returns undefined if the bytes are not exactly those that this product would write. Other readers may
 *   understand a repeated key or invalid UTF-8 differently, so such bytes are refused
 */
export function parseWritten(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString()
  if (TOO_DEEP.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return `${JSON.stringify(value, null, 2)}\n` === text ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Matches the beginning of a line at level 101 of the JSON, because each level is indented by two spaces. The
 * JSON that this product writes has fewer than ten levels. Without a limit of levels, some readers could read
 * a file that others cannot read.
 */
const TOO_DEEP = /^ {201}/m

/** The schema of the elements of each list that `listOf` made, for the JSON Schema of the list. */
export const LISTS = new WeakMap<object, z.ZodType>()

/**
 * Makes the schema of a list that reports only the first fault. In a forged file every element may have a
 * fault, and collecting all faults would fill memory.
 */
export function listOf<Element extends z.ZodType>(element: Element) {
  const list = z.array(z.unknown())
  LISTS.set(list, element)
  return list.transform((elements, context) => {
    const read: z.output<Element>[] = []
    for (const [at, one] of elements.entries()) {
      const { data, error } = element.safeParse(one)
      if (error !== undefined) {
        context.addIssue({ code: 'custom', message: error.message, path: [at] })
        return z.NEVER
      }
      read.push(data)
    }
    return read
  })
}
