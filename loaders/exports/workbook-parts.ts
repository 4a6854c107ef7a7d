/** A sheet of a workbook, and its size. */
export interface Sheet {
  readonly name: string
  readonly columns: number
  /** Number of rows below the header. */
  readonly rows: number
}

/** Places of the cell formats in the style sheet. */
export const STYLE = { text: 1, time: 2, header: 3 } as const

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types'
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Returns the parts of a workbook other than its sheets, by their paths (ECMA-376). */
export function workbookParts(sheets: readonly Sheet[]): ReadonlyMap<string, string> {
  const each = (toXml: (sheet: Sheet, number: number) => string) =>
    sheets.map((sheet, index) => toXml(sheet, index + 1)).join('')
  const part = (path: string, type: string) =>
    `<Override PartName="/xl/${path}.xml" ContentType="${SHEET}.${type}+xml"/>`
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATION}/${type}" Target="${target}"/>`
  return new Map([
    ['xl/styles.xml', `${XML}${STYLES}`],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATION}"><sheets>${each(
        ({ name }, number) => `<sheet name="${name}" sheetId="${number}" r:id="rId${number}"/>`,
      )}</sheets><definedNames>${each(
        (sheet, number) =>
          `<definedName name="_xlnm._FilterDatabase" localSheetId="${number - 1}" hidden="1">'${sheet.name}'!${absoluteRangeOf(sheet)}</definedName>`,
      )}</definedNames></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${RELATIONS}">${each((_, number) =>
        relation(`rId${number}`, 'worksheet', `worksheets/sheet${number}.xml`),
      )}${relation(`rId${sheets.length + 1}`, 'styles', 'styles.xml')}</Relationships>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${RELATIONS}">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    ],
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${part('workbook', 'sheet.main')}${part('styles', 'styles')}${each(
        (_, number) => part(`worksheets/sheet${number}`, 'worksheet'),
      )}</Types>`,
    ],
  ])
}

/** Returns the cells of a sheet, for example `A1:J120`. */
export function rangeOf({ columns, rows }: Sheet): string {
  return `A1:${columnLetters(columns - 1)}${rows + 1}`
}

function absoluteRangeOf(sheet: Sheet): string {
  return rangeOf(sheet).replace(/([A-Z]+)(\d+)/g, '$$$1$$$2')
}

/** Returns the letters of a column, which is counted from 0: A to Z, then AA. */
export function columnLetters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26))
  return column < 26 ? last : `${columnLetters(Math.floor(column / 26) - 1)}${last}`
}

/** The formats of cells, in the order of `STYLE`: general, text (49), time (164), bold header. */
const STYLES = `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
