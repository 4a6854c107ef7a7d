import { hash } from 'node:crypto'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { parse as parseAtOnce } from 'csv-parse/sync'
import type { Content, Fields } from '../../sql/tables.ts'
import { columnOfField } from '../../transforms/decide/platform-fields.ts'
import { flatFields } from '../../transforms/declare/field-values.ts'
import { chunksOf, isSmall, MAX_LINE_BYTES, UnreadableFileError } from '../files/read.ts'
import { fieldCell, isGuarded, MASKED, type Mask } from '../packs/csv-files/csv.ts'
import {
  changesFile,
  decisionsFile,
  INSTANT,
  itemsFile,
  loadResultsFile,
  type PackFile,
} from '../packs/csv-files/pack-files.ts'
import { faultOfLocalTimes } from './local-times.ts'

/** A CSV file, and the types of its columns. The files of a pack have more properties. */
export interface CsvForm extends Pick<PackFile, 'name' | 'afterCustom'> {
  readonly columns: Readonly<Record<string, Pick<PackFile['columns'][string], 'type' | 'format' | 'values'>>>
}

/** Cells of a row by column name, without the added `'` that protects against formulas. */
export type Row = Readonly<Record<string, string>>

/**
 * Reads the rows of a CSV file of a pack, one by one.
 *
 * @throws UnreadableFileError if the file is not CSV in the form of a pack: UTF-8, a header row, CRLF after
 *   each line, cells of the declared types, the guard against formulas
 */
export async function* rowsOf(folder: string, file: CsvForm): AsyncGenerator<Row> {
  const path = join(folder, file.name)
  const options = { bom: true, record_delimiter: '\r\n', max_record_size: MAX_LINE_BYTES, cast: checked }
  const notCsv = (message: string, cause?: unknown) => new UnreadableFileError(file.name, message, { cause })
  const cells = countCells()
  let end = ''
  const header: string[] = []
  /** Checks a cell while the parser still knows if the cell had quotes. */
  function checked(cell: string, { index, quoting, records }: CellPlace): string {
    if (records === 0) header.push(cell)
    const name = header[index] ?? ''
    // The name of another column is not shown, because its text may come from a forger.
    const column = Object.hasOwn(file.columns, name) ? file.columns[name] : undefined
    const fault = records === 0 ? quoting && 'has quotes' : faultOfCell(cell, quoting, column)
    if (fault) throw notCsv(`row ${records}, column ${column === undefined ? index + 1 : name}: ${fault}`)
    return cell
  }
  async function* text(bytes: AsyncIterable<Buffer>) {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    for await (const chunk of bytes) {
      const decoded = decoder.decode(chunk, { stream: true })
      const many = cells.whyTooMany(decoded)
      if (many !== null) throw notCsv(many)
      yield noteEnd(decoded)
    }
    yield noteEnd(decoder.decode())
  }
  function noteEnd(chunk: string): string {
    end = (end + chunk).slice(-2)
    return chunk
  }
  async function* records(): AsyncGenerator<readonly string[]> {
    if (isSmall(path)) {
      for await (const all of text(chunksOf(path))) yield* parseAtOnce(all, options)
      return
    }
    // `pipeline` also ends the parser if reading the file fails.
    yield* pipeline(chunksOf(path), text, parse(options), () => undefined) as AsyncIterable<readonly string[]>
  }
  let isFirst = true
  try {
    for await (const cells of records()) {
      if (isFirst && !isHeader(header, file)) throw notCsv('has other columns')
      if (!isFirst)
        yield Object.fromEntries(cells.map((cell, at) => [header[at] ?? '', cell.replace(/^'/, '')]))
      isFirst = false
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!(error instanceof CsvError) && code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw notCsv(`cannot be read (${code})`, error)
  }
  if (isFirst) throw notCsv('has other columns')
  if (end !== '\r\n') throw notCsv('ends in the middle of a line')
}

/** The facts about a cell that csv-parse passes to its `cast` function. */
interface CellPlace {
  readonly index: number
  readonly quoting: boolean
  readonly records: number
}

/**
 * Checks the type, the value and the formula guard of a cell.
 *
 * @param column declaration of the column; undefined for a custom field, which is always a text
 * @returns a message about the fault; null if the cell has no fault
 */
function faultOfCell(
  cell: string,
  isQuoted: boolean,
  column: CsvForm['columns'][string] | undefined,
): string | null {
  const { type, format, values } = column ?? { type: 'string' as const }
  if (isQuoted && type === 'integer') return 'a number is in quotes'
  if (!isQuoted && cell !== '' && type !== 'integer') return 'a text is without quotes'
  if (!isQuoted && cell !== '' && !WHOLE_NUMBER.test(cell)) return 'is not a whole number'
  if (isQuoted && !isGuarded(cell))
    return "a ' is missing in front of a text that could run as a formula, or is in front of another text"
  if (format !== undefined && isQuoted && !isTime(cell, format)) return 'is not a time'
  if (values !== undefined && !values.has(cell)) return 'the value is not one of this column'
  return null
}

const WHOLE_NUMBER = /^(?:0|-?[1-9]\d{0,29})$/

const TIME = /^(?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/

/** Returns true if a text is a time that exists, in the form of its column. */
function isTime(text: string, format: string): boolean {
  const length = TIME_LENGTH + (format === INSTANT ? 1 : 0)
  const shown = text.slice(0, TIME_LENGTH)
  if (text.length !== length || !TIME.test(shown) || !'Z'.startsWith(text.slice(TIME_LENGTH))) return false
  const ms = Date.parse(`${shown}Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString() === `${shown}.000Z`
}

const TIME_LENGTH = '2031-05-04T09:00:00'.length

/** Maximum number of columns in a CSV file; every real pack has fewer. */
const MOST_COLUMNS = 10_000

/**
 * Makes a counter of the cells in each row. The counter runs before the parser creates a string for every
 * cell. A row may not have more cells than the header.
 */
function countCells() {
  let most = MOST_COLUMNS
  let cells = 1
  let isQuoted = false
  return {
    /** @returns a message about the first row with too many cells; null if no row has too many */
    whyTooMany(chunk: string): string | null {
      for (let at = 0; at < chunk.length; at += 1) {
        const code = chunk.charCodeAt(at)
        if (code === QUOTE) isQuoted = !isQuoted
        else if (isQuoted) continue
        else if (code === COMMA) cells += 1
        else if (code === LINE_FEED) {
          if (most === MOST_COLUMNS) most = cells
          cells = 1
        }
        if (cells > most) return `has a row of more than ${most} cells`
      }
      return null
    },
  }
}

const [QUOTE, COMMA, LINE_FEED] = [0x22, 0x2c, 0x0a]

/** The names of a custom field: the name of its column, and its name in `changes.csv`. */
export const CUSTOM = /^custom\.[a-z][A-Za-z0-9]{0,39}$/

/**
 * Returns true if the header has the columns of a file. Items may have columns of custom fields in byte
 * order, each once, before the columns that the file has after custom fields.
 */
function isHeader(header: readonly string[], { columns, afterCustom = [] }: CsvForm): boolean {
  const names = Object.keys(columns)
  const first = names.slice(0, names.length - afterCustom.length)
  const more = header.slice(first.length, header.length - afterCustom.length)
  return (
    header.join() === [...first, ...more, ...afterCustom].join() &&
    (more.length === 0 || names[0] === 'unique_id') &&
    more.every((name, at) => CUSTOM.test(name) && (more[at - 1] ?? '') < name)
  )
}

/**
 * Number of ids under each name, together with a control total. If one id is lost and another id is doubled,
 * only the control total shows the difference.
 */
export type Tally = ReturnType<typeof makeTally>

/** Six bytes of each id's hash are summed; a JavaScript number can hold this sum exactly. */
const BYTES = 6
const MODULUS = 2 ** (8 * BYTES)

/**
 * Maximum number of names. Real packs have several hundred names: decisions, reasons and actions of all
 * contents.
 */
const MOST_NAMES = 10_000

/** @param file name of the file that contains the ids, for messages */
export function makeTally(file: string) {
  const counts = new Map<string, number>()
  const totals = new Map<string, number>()
  return {
    /** @throws UnreadableFileError */
    add(name: string, id: string): void {
      const check = hash('sha256', id, 'buffer').readUIntBE(0, BYTES)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      if (counts.size > MOST_NAMES)
        throw new UnreadableFileError(file, `has more than ${MOST_NAMES} kinds of rows`)
      totals.set(name, ((totals.get(name) ?? 0) + check) % MODULUS)
    },
    count: (name: string) => counts.get(name) ?? 0,
    /**
     * Returns the control total of the ids under a name. Two names have equal control totals if the same ids
     * were added to both, in any order.
     */
    total: (name: string) => totals.get(name) ?? 0,
    names: () => [...counts.keys()],
  }
}

export interface TalliedFile {
  readonly file: string
  readonly rows: number
  readonly tally: Tally
  /**
   * Number of the first row (counted from 1) that is out of order or appears twice; null if all rows are in
   * order.
   */
  readonly misplaced: number | null
}

/** The pack whose CSV files are tallied. */
export interface TalliedPack {
  readonly folder: string
  readonly isMasked: boolean
}

/**
 * Tallies the rows of a CSV file of items. Unique IDs are counted under the names `<content>` and `<content>
 * <action>`. The cells of items that are sent are counted under `<content> fields`. Local times are checked
 * here and not counted, because they are not sent.
 *
 * @returns also the number of local times that differ from the time zone data of this machine
 */
export async function tallyItems(
  pack: TalliedPack,
  content: Content,
): Promise<TalliedFile & { readonly otherLocalTimes: number }> {
  const file = itemsFile(content)
  let place = 0
  let otherLocalTimes = 0
  const countOther = () => {
    otherLocalTimes += 1
  }
  const tallied = await tallyFile(pack, file, (row, tally) => {
    const { action = '', local_start, local_end, zone, ...cells } = row
    const { unique_id = '' } = cells
    place += 1
    const fault = faultOfLocalTimes(row, countOther)
    if (fault !== null) throw new UnreadableFileError(file.name, `row ${place}, ${fault}`)
    tally.add(content, unique_id)
    tally.add(`${content} ${action}`, unique_id)
    if (action !== 'unchanged') tally.add(`${content} fields`, joinCells(cells))
  })
  return { ...tallied, otherLocalTimes }
}

/** Returns the cells that an item has in the CSV file of its content, joined into one text. */
export function cellsOfItem(content: Content, uniqueId: string, fields: Fields, mask: Mask): string {
  const cells = Object.entries(flatFields(fields)).map(([name, value]) => {
    const column = CUSTOM.test(name) ? name : columnOfField(name)
    return [column, fieldCell(mask.field(content, name, value)) ?? '']
  })
  return joinCells({ ...Object.fromEntries(cells), unique_id: mask.id(uniqueId) })
}

function joinCells(cells: Row): string {
  const filled = Object.entries(cells).filter(([, text]) => text !== '')
  return JSON.stringify(filled.sort(([one], [other]) => (one < other ? -1 : 1)))
}

/**
 * Tallies the rows of `decisions.csv`. Source ids are counted under the name `<content>`. Unique IDs are
 * counted under the names `<content> <decision>`, `<content> excluded:<reason>` and `<content> synced
 * <action>`.
 */
export function tallyDecisions(pack: TalliedPack): Promise<TalliedFile> {
  let before = ''
  return tallyFile(pack, decisionsFile, (row, tally) => {
    const { content = '', source_id = '', unique_id = '', decision = '', reason = '', action = '' } = row
    tally.add(content, source_id)
    tally.add(`${content} ${decision}`, unique_id)
    if (decision === 'excluded') tally.add(`${content} excluded:${reason}`, unique_id)
    if (decision === 'synced') tally.add(`${content} synced ${action}`, unique_id)
    // Any number of records with the same id may be repeated or quarantined, but only one of them may have
    // another decision.
    const counts = reason !== 'duplicate_id' && decision !== 'quarantined'
    const record = `${content} ${source_id}`
    const isTwice = counts && before === record && !(pack.isMasked && source_id === MASKED)
    before = counts ? record : before
    return !isTwice
  })
}

/**
 * Tallies the items of `changes.csv`. Unique IDs are counted under the name `<content> <op>`. Unique IDs of
 * removals are counted under `<content> because <reason>` too. Successive rows with the same unique ID and
 * reason are counted as one item.
 */
export function tallyChanges(pack: TalliedPack): Promise<TalliedFile> {
  let before: Row = {}
  return tallyFile(pack, changesFile, (row, tally) => {
    const { content = '', unique_id = '', action = '', reason = '' } = row
    const isSameItem =
      before.content === content && before.unique_id === unique_id && before.reason === reason
    if (!isSameItem) {
      tally.add(`${content} ${action === 'remove' ? 'remove' : 'upsert'}`, unique_id)
      if (reason !== '') tally.add(`${content} because ${reason}`, unique_id)
    }
    before = row
  })
}

/**
 * Tallies the rows of `load_results.csv`. Unique IDs are counted under the name `<content> <op> <status>`.
 * The unique IDs of operations that were sent are counted under `<content> <op>` and `<content> because
 * <reason>` too.
 */
export function tallyResults(pack: TalliedPack): Promise<TalliedFile> {
  let place = 0
  return tallyFile(pack, loadResultsFile, (row, tally) => {
    const { seq, content = '', unique_id = '', op = '', status = '', reason = '' } = row
    tally.add(`${content} ${op} ${status}`, unique_id)
    if (status !== 'withheld') {
      tally.add(`${content} ${op}`, unique_id)
      if (reason !== '') tally.add(`${content} because ${reason}`, unique_id)
    }
    place += 1
    return seq === String(place)
  })
}

/** @param add adds a row to the tally; returns false if the row is not in the order of the file */
async function tallyFile(
  { folder, isMasked }: TalliedPack,
  file: PackFile,
  add: (row: Row, tally: Tally) => boolean | undefined,
): Promise<TalliedFile> {
  const tally = makeTally(file.name)
  const { sortedBy = [], columns, hasRepeats } = file
  // The function `add` checks the order of numbers. The order of masked ids is not checked, because masked
  // ids can be equal.
  const end = sortedBy.findIndex(
    (name) => columns[name]?.type !== 'string' || (isMasked && columns[name]?.isPersonal),
  )
  const order = end < 0 ? sortedBy : sortedBy.slice(0, end)
  const mayRepeat = hasRepeats || end >= 0
  let rows = 0
  let last: readonly string[] | null = null
  let misplaced: number | null = null
  for await (const row of rowsOf(folder, file)) {
    rows += 1
    const isPlaced = add(row, tally) !== false
    const place = order.map((name) => row[name] ?? '')
    const step = !isPlaced || last === null ? 1 : compare(place, last)
    if (!isPlaced || step < 0 || (step === 0 && !mayRepeat)) misplaced ??= rows
    if (isPlaced) last = place
  }
  return { file: file.name, rows, tally, misplaced }
}

function compare(one: readonly string[], other: readonly string[]): number {
  for (const [at, part] of one.entries()) {
    const order = Buffer.compare(Buffer.from(part), Buffer.from(other[at] ?? ''))
    if (order !== 0) return order
  }
  return 0
}
