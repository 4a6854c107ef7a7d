import type { Row } from '../verify/rows.ts'
import type { Kind } from './pack-rows.ts'
import { columnLetters, rangeOf, type Sheet, STYLE } from './workbook-parts.ts'

/** Maximum number of characters in a cell of Excel. Excel refuses to open a file with a longer text. */
const MOST_CHARACTERS = 32_767

/** Maximum number of digits that Excel keeps in a number. */
const MOST_DIGITS = 15

/** 1 March 1900. Excel has a day in February 1900 that did not exist, so earlier dates would be wrong. */
const FIRST_TIME = Date.UTC(1900, 2, 1)

const HEAD =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
const FROZEN_HEADER =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'

/** The kinds of the values in the columns of a sheet, by the names of the columns. */
type Kinds = ReadonlyMap<string, Kind>

/** Returns the XML of a sheet up to the rows, with the header row. */
export function headOfSheet(kinds: Kinds): string {
  const widths = `<cols><col min="1" max="${kinds.size}" width="20" customWidth="1"/></cols>`
  const cells = [...kinds].map(([name, kind], column) =>
    textCell(`${columnLetters(column)}1`, kind === 'time' ? `${name} (UTC)` : name, STYLE.header),
  )
  return `${HEAD}${FROZEN_HEADER}${widths}<sheetData><row r="1">${cells.join('')}</row>`
}

/** Returns the XML of a sheet after the rows, with the filters. */
export function endOfSheet(sheet: Sheet): string {
  return `</sheetData><autoFilter ref="${rangeOf(sheet)}"/></worksheet>`
}

/** Returns the XML of a row, and how many of its texts were cut. */
export function rowOfSheet(kinds: Kinds, row: Row, number: number) {
  let cut = 0
  const cells = [...kinds].map(([name, kind], column) => {
    const text = row[name] ?? ''
    if (text === '') return ''
    const place = `${columnLetters(column)}${number}`
    const cell = typedCell(place, kind, text)
    if (cell !== null) return cell
    if (text.length > MOST_CHARACTERS) cut += 1
    return textCell(place, text, STYLE.text)
  })
  return { xml: `<row r="${number}">${cells.join('')}</row>`, cut }
}

/** Returns a cell that is not a text; null if the value must be a text. A list is joined as in the pack. */
function typedCell(place: string, kind: Kind, text: string): string | null {
  if (kind === 'boolean') return `<c r="${place}" t="b"><v>${text === 'true' ? 1 : 0}</v></c>`
  if (kind === 'integer' && text.length <= MOST_DIGITS) return `<c r="${place}"><v>${text}</v></c>`
  if (kind !== 'time') return null
  const ms = Date.parse(text)
  return ms < FIRST_TIME ? null : `<c r="${place}" s="${STYLE.time}"><v>${DAYS_TO_1970 + ms / DAY_MS}</v></c>`
}

const DAY_MS = 86_400_000
/** Days from the day that Excel counts as 0 to 1 January 1970. */
const DAYS_TO_1970 = 25_569

function textCell(place: string, text: string, style: number): string {
  const shown = text.length <= MOST_CHARACTERS ? text : `${withoutHalf(text.slice(0, MOST_CHARACTERS - 1))}…`
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(shown)}</t></is></c>`
}

/** Removes the first half of a character whose second half was cut off. */
function withoutHalf(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '')
}

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Characters that XML 1.0 does not have or changes, and texts that look like the escape of such a character.
 * Excel writes them as `_xHHHH_`.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are escaped.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[\da-fA-F]{4}_)/g

function escaped(text: string): string {
  return text
    .replace(
      UNSAFE,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(/[&<>]/g, (character) => MARKUP[character] ?? '')
}
