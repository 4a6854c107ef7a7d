import {
  appendFileSync,
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type JournalRecord, recordSchema } from './records.ts'

/** The journal cannot be read or written; whoever holds it must end, since memory and disk may differ now. */
export class JournalError extends Error {
  override readonly name = 'JournalError'
}

export interface Journal {
  /** What was there at the start, in the order in which it was written. */
  readonly records: readonly JournalRecord[]
  /**
   * Writes a line, and returns when the disk has it. It does not wait for its turn, so that between reading
   * the store and writing the journal no other request comes.
   *
   * @throws JournalError
   */
  append(record: JournalRecord): void
}

const newline = 0x0a

/**
 * Opens the journal of a folder for one event, and begins one where there is none.
 *
 * A last line without its end was cut off by a crash before anybody was told of it, so it is taken away.
 *
 * @throws JournalError of a line that cannot be read, and of the journal of another event
 */
export function openJournal(folder: string, eventId: string): Journal {
  // It holds personal data.
  const file = openSync(join(folder, 'journal.jsonl'), 'a+', 0o600)
  const bytes = readFileSync(file)
  const end = bytes.lastIndexOf(newline) + 1
  if (end < bytes.length) ftruncateSync(file, end)
  const records = readRecords(bytes.subarray(0, end))

  function append(record: JournalRecord): void {
    try {
      appendFileSync(file, `${JSON.stringify(record)}\n`)
      fdatasyncSync(file)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
      throw new JournalError(`the journal cannot be written (${code})`)
    }
  }

  const [first] = records
  if (first === undefined) {
    append({ record: 'header', contract: '1.0', eventId })
    const directory = openSync(folder, 'r')
    fsyncSync(directory)
    closeSync(directory)
  } else if (first.record !== 'header' || first.eventId !== eventId) {
    throw new JournalError(`the journal in ${folder} is not that of event ${eventId}`)
  }
  return { records, append }
}

/** Line by line, since a journal may be longer than the longest text. */
function readRecords(bytes: Buffer): readonly JournalRecord[] {
  const records: JournalRecord[] = []
  let start = 0
  while (start < bytes.length) {
    const end = bytes.indexOf(newline, start)
    const record = readRecord(bytes.toString('utf8', start, end))
    if (record === null) throw new JournalError(`line ${records.length + 1} of the journal cannot be read`)
    records.push(record)
    start = end + 1
  }
  return records
}

function readRecord(line: string): JournalRecord | null {
  try {
    return recordSchema.parse(JSON.parse(line))
  } catch {
    return null
  }
}
