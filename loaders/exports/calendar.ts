import { join } from 'node:path'
import ICAL from 'ical.js'
import { type OutputMode, writeBytes } from '../files/file-writer.ts'
import { UnreadableFileError } from '../files/read.ts'
import { MASKED } from '../packs/csv-files/csv.ts'
import { itemsFile } from '../packs/csv-files/pack-files.ts'
import { type Row, rowsOf } from '../verify/rows.ts'
import type { ExportedFile, ExportedPack } from './pack-rows.ts'
import { toPlainText } from './plain-text.ts'

// A line may have 75 bytes. ical.js does not count the space at the beginning of a continued line.
ICAL.foldLength = 74

const NAME = 'agenda.ics'
const END = 'END:VCALENDAR\r\n'

/**
 * Writes the agenda of a pack as a calendar (RFC 5545), with one event for each session. The calendar names no
 * person. It has no column that `--masked` would change, except the ids of sessions, which it needs as they
 * are: calendars recognize a session by its UID.
 *
 * @throws UnreadableFileError if the pack is masked and has a masked id of a session
 */
export async function writeCalendar(
  { folder, files, ...pack }: ExportedPack,
  to: string,
  mode: OutputMode,
): Promise<readonly ExportedFile[]> {
  const agenda = files.find(({ content }) => content === 'agenda') ?? itemsFile('agenda')
  let rows = 0
  await writeBytes(join(to, NAME), mode, async (append) => {
    await append(Buffer.from(ICAL.stringify(['vcalendar', headOf(pack.eventName), []]).replace(END, '')))
    for await (const row of rowsOf(folder, agenda)) {
      if (row.unique_id === MASKED)
        throw new UnreadableFileError(agenda.name, `row ${rows + 1}: the id of the session is masked`)
      rows += 1
      await append(Buffer.from(ICAL.stringify(['vevent', eventOf(row, pack), []])))
    }
    await append(Buffer.from(END))
  })
  return [{ name: NAME, rows, cut: 0 }]
}

/** A property in jCal (RFC 7265): name, parameters, type, value. ical.js escapes and folds it. */
type Property = readonly [string, Readonly<Record<string, string>>, string, string]

const text = (name: string, value: string): Property => [name, {}, 'text', toContentText(value)]
const time = (name: string, value: string): Property => [name, {}, 'date-time', value]

function headOf(eventName: string): readonly Property[] {
  return [
    text('version', '2.0'),
    text('prodid', '-//event-content-sync//event-sync//EN'),
    text('x-wr-calname', eventName),
  ]
}

function eventOf(row: Row, { integration, at }: Pick<ExportedPack, 'integration' | 'at'>) {
  const { unique_id: id = '', name = '', start_time: start = '', end_time: end = '' } = row
  const { location = '', description = '' } = row
  return [
    text('uid', `${id}@${integration}`),
    time('dtstamp', `${at.toISOString().slice(0, 19)}Z`),
    time('dtstart', start),
    time('dtend', end),
    text('summary', name),
    ...(location === '' ? [] : [text('location', location)]),
    ...(description === '' ? [] : [text('description', toPlainText(description))]),
  ]
}

/** Removes the control characters that RFC 5545 forbids in texts. A line break becomes LF. */
function toContentText(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed.
  return value.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
}
