import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { toCsv } from '../../loaders/packs/csv-files/csv.ts'
import type { Content } from '../../sql/tables.ts'
import { fieldValue, type Pack, readCsv, readPack } from '../harness/read-pack.ts'
import { type Engine, engines } from '../support/engines.ts'
import { useFolder, useOneFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import { syncRecords } from '../traps/sync.ts'
import {
  csvFilesOf,
  formulaCells,
  isLibreOfficeHere,
  isPythonHere,
  readByLibreOffice,
  readByParser,
  readByPostgres,
  readByPython,
} from './readers.ts'
import { strings } from './strings.ts'
import { changesBetween, expectedOfA, inOrder, recordsOfA } from './text-of-a.ts'

const CONTENTS: readonly Content[] = ['agenda', 'speakers', 'attendees']

/**
 * Patterns for a cell that a spreadsheet could run as a formula, and for such a cell with the `'` that guards
 * it. Source: loaders/packs/README.md#csv-files.
 */
const RUNS = /^[=+\-@\t\r\n＝＋－＠]/
const GUARDED = /^'[=+\-@\t\r\n＝＋－＠']/

const NO_PYTHON = "not read by Python's csv module: there is no python3 here"
const NO_LIBREOFFICE = 'not opened in LibreOffice: there is no soffice here'

/** Replaces all line breaks by `\n`, because LibreOffice has only one kind of line break. */
const plain = (cell: string | null) => cell?.replace(/\r\n?/g, '\n') ?? ''

/** Checks the texts of Source A at each stage of two syncs. Texts of Source B are tested in test/traps. */
function followText(all: readonly string[], engine: Engine): void {
  const database = useDatabase(engine)
  const output = useOneFolder()
  const shifted = [...all.slice(1), ...all.slice(0, 1)]
  const first = expectedOfA(all, all)
  const folders: string[] = []
  let pack: Pack

  beforeAll(async () => {
    const place = { database: database(), output, id: 'text' }
    const setup = { source: { type: 'a' as const }, guards: { massUpdate: 1, blackout: false } }
    for (const optional of [all, shifted]) {
      const report = await syncRecords(place, setup, recordsOfA(all, optional), 200)
      if (report.status !== 'finished') throw new Error(report.error ?? `the run is ${report.status}`)
      folders.push(report.output ?? '')
    }
    pack = readPack(folders[0] ?? '')
  })

  test.each(CONTENTS)('operations.jsonl contains every string in every text field of %s', (content) => {
    const items = pack.operations
      .filter((operation) => operation.content === content)
      .map(({ uniqueId, fields }) => [uniqueId, fields] as const)
    expect(inOrder(items)).toEqual(inOrder(first[content]))
  })

  test.each(CONTENTS)(
    'every string in every text field of %s can be read back from its CSV file',
    (content) => {
      expect(inOrder(pack.items[content])).toEqual(inOrder(first[content]))
    },
  )

  test.each(CONTENTS)('every id of %s can be read back from decisions.csv', (content) => {
    const synced = pack.decisions.filter((row) => row.content === content && row.decision === 'synced')
    const ids = first[content].map(([id]) => id).sort()
    expect(synced.map(({ uniqueId }) => uniqueId).sort()).toEqual(ids)
    expect(synced.map(({ sourceId }) => sourceId).sort()).toEqual(ids)
  })

  test('every string can be read back from the columns before and after of changes.csv', () => {
    const read = readCsv(join(folders[1] ?? '', 'changes.csv')).map((row) => {
      const value = (cell: string | null | undefined) =>
        typeof cell === 'string' ? fieldValue(row.field ?? '', cell) : null
      return [`${row.content} ${row.unique_id} ${row.field}`, [value(row.before), value(row.after)]] as const
    })
    const due = changesBetween(first, expectedOfA(all, shifted))
    expect(due.size).toBeGreaterThan(all.length)
    expect(inOrder(read)).toEqual(inOrder(due))
  })

  test('in all CSV files, a cell that begins like a formula is guarded by a leading apostrophe', () => {
    let guarded = 0
    for (const path of folders.flatMap(csvFilesOf)) {
      for (const cell of readByParser(path).flat()) {
        if (cell === null || cell === '') continue
        expect(RUNS.test(cell), `${path}: ${JSON.stringify(cell)}`).toBe(false)
        if (cell.startsWith("'")) {
          expect(GUARDED.test(cell), `${path}: ${JSON.stringify(cell)}`).toBe(true)
          guarded += 1
        }
      }
    }
    expect(guarded).toBeGreaterThan(100)
  })

  // The remaining tests run only on PostgreSQL. The test test/pipeline/same-bytes.long.test.ts checks that
  // PGlite writes the same bytes.
  if (engine === 'pglite') return

  // The tests above check every value with csv-parse. Therefore the tests with other readers only check that
  // these readers get the same cells.
  test('PostgreSQL reads the same cells with COPY, including absent cells', async () => {
    for (const path of folders.flatMap(csvFilesOf))
      expect(await readByPostgres(inject('postgresUrl'), path), path).toEqual(readByParser(path))
  })

  test.runIf(isPythonHere)(isPythonHere ? "Python's csv module reads the same cells" : NO_PYTHON, () => {
    for (const path of folders.flatMap(csvFilesOf)) {
      const cells = readByParser(path).map((row) => row.map((cell) => cell ?? ''))
      expect(readByPython(path), path).toEqual(cells)
    }
  })

  describe.runIf(isLibreOfficeHere)(isLibreOfficeHere ? 'in LibreOffice' : NO_LIBREOFFICE, () => {
    const work = useFolder()

    test('LibreOffice treats no cell as a formula; without the guard it treats some cells as formulas', () => {
      const inPacks = folders.map((folder) => formulaCells(csvFilesOf(folder), work()))
      for (const counts of inPacks) {
        expect(Object.keys(counts)).toHaveLength(8)
        expect(Object.values(counts)).toEqual(Array(8).fill(0))
      }
      const bare = join(work(), 'bare.csv')
      writeFileSync(
        bare,
        toCsv(
          all.map((text) => [text]),
          () => false,
        ),
      )
      expect(formulaCells([bare], work()).bare).toBeGreaterThan(10)
    })

    test('after an import with the settings of the note, all cells have their original text', () => {
      const [first = ''] = folders
      const paths = csvFilesOf(first)
      for (const [n, read] of readByLibreOffice(paths, work()).entries()) {
        const cells = readByParser(paths[n] ?? '').map((row) => row.map((cell) => cell ?? ''))
        expect(
          read.map((row) => row.map(plain)),
          paths[n],
        ).toEqual(cells.map((row) => row.map(plain)))
      }
    })
  })
}

if (strings === null) {
  test.skip('text: not run, ../shared/suites has no blns or csv-injection', () => {})
} else {
  const all = strings
  describe.each(engines)('on %s', (engine) => followText(all, engine))
}
