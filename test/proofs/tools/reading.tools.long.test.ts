import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readCells, readRows } from '../../harness/read-pack.ts'
import { openEngine } from '../../support/engines.ts'
import { useFolder, useOneFolder } from '../../support/folder.ts'
import { type MessyPack, makeMessyPack } from './messy-pack.ts'
import { makeRandomPacks } from './random-packs.ts'
import { duckdb, pandas, polars, type Reader, r, readByLibreOffice, type Table, validate } from './readers.ts'
import { hasLibreOffice, hasPackage, hasR } from './tools.ts'

const PACKS = 20
/** Starting LibreOffice for each file takes minutes on a busy machine. */
const TIMEOUT_MS = 900_000
const SETTINGS = [
  { personalData: 'full', excel: false },
  { personalData: 'masked', excel: true },
] as const

const IN_PYTHON = 'skipped without the package; TOOLS_PYTHON names the Python'
const READERS: readonly (readonly [Reader, isHere: boolean, hint: string])[] = [
  [pandas, hasPackage('pandas'), IN_PYTHON],
  [polars, hasPackage('polars'), IN_PYTHON],
  [duckdb, hasPackage('duckdb'), IN_PYTHON],
  [r, hasR(), 'skipped without Rscript and the packages readr and jsonlite'],
]

/** The cells of a file without the guard against formulas; an empty cell is null. */
function cellsOf(path: string): Table {
  const [header = [], ...rows] = readRows(dirname(path), basename(path)) ?? []
  return [
    header.map((name) => name.replace(/^\uFEFF/, '')),
    ...rows.map((row) => row.map((cell) => cell || null)),
  ]
}

const csvFilesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.csv'))
    .map((name) => join(folder, name))

/** The values of a column. @param isOne selects rows by the cells of their columns */
function column(
  [header = [], ...rows]: Table,
  name: string,
  isOne: (cell: (name: string) => string | null) => boolean = () => true,
): readonly (string | null)[] {
  const at = (row: Table[number]) => (name: string) => row[header.indexOf(name)] ?? null
  return rows.filter((row) => isOne(at(row))).map((row) => at(row)(name))
}

let messy: MessyPack
let random: readonly string[]
const messyFolder = useOneFolder()
const randomFolder = useOneFolder()
const copies = useFolder()

beforeAll(async () => {
  messy = await makeMessyPack(messyFolder, 1)
  const database = await openEngine('pglite')
  random = await makeRandomPacks(database, randomFolder, PACKS, SETTINGS)
  await database.close()
}, TIMEOUT_MS)

describe.each(READERS.map(([reader, isHere, hint]) => ({ reader, isHere, hint, tool: reader.tool })))(
  '$tool ($hint)',
  { timeout: TIMEOUT_MS },
  ({ reader, isHere }) => {
    const work = useFolder()

    test.runIf(isHere)('the code of README.txt reads every cell of a messy pack', () => {
      const paths = csvFilesIn(messy.folder)
      expect(paths).toHaveLength(8)
      for (const [place, table] of reader.read(paths, messy.folder, work()).entries())
        expectSame(table, cellsOf(paths[place] ?? ''), paths[place] ?? '')
    })

    test.runIf(isHere)('items, decisions and changes have the same ids, and none is lost or merged', () => {
      const paths = ['agenda', 'decisions', 'changes'].map((name) => join(messy.folder, `${name}.csv`))
      const [agenda = [], decisions = [], changes = []] = reader.read(paths, messy.folder, work())
      const isOfAgenda = (cell: (name: string) => string | null) => cell('content') === 'agenda'
      expect(new Set(column(agenda, 'unique_id'))).toEqual(new Set(messy.ids))
      expect(column(agenda, 'unique_id')).toHaveLength(messy.ids.length)
      expect(column(decisions, 'unique_id', isOfAgenda)).toEqual(messy.ids)
      expect(column(decisions, 'source_id', isOfAgenda)).toEqual(messy.ids)
      expect(column(changes, 'unique_id')).toEqual(messy.changed)
    })

    test.runIf(isHere)(`the code reads every cell of ${PACKS} packs of random events`, () => {
      const paths = random.flatMap(csvFilesIn)
      for (const [place, table] of reader.read(paths, random[0] ?? '', work()).entries())
        expectSame(table, cellsOf(paths[place] ?? ''), paths[place] ?? '')
    })
  },
)

test.runIf(hasLibreOffice())(
  'LibreOffice (skipped without soffice): the command of README.txt keeps the text of every cell',
  { timeout: TIMEOUT_MS },
  () => {
    const paths = csvFilesIn(messy.folder)
    for (const [place, table] of readByLibreOffice(paths, messy.folder).entries()) {
      const path = paths[place] ?? ''
      // LibreOffice keeps the guard, and knows only one kind of line break. agenda.ods has tabs, but they are
      // lost when this test converts it back to CSV.
      const plain = (cell: string | null) => cell?.replaceAll(/\r\n?/g, '\n').replaceAll('\t', '') || null
      const texts = readCells(path).map((row) => row.map(plain))
      expectSame(table, texts, path)
    }
  },
)

test.runIf(hasPackage('frictionless'))(
  `frictionless (${IN_PYTHON}): it finds no fault in ${PACKS} packs, and finds a changed key, time and reference`,
  { timeout: TIMEOUT_MS },
  () => {
    expect(random).toHaveLength(PACKS)
    for (const pack of random) expect(validate(pack), pack).toEqual([])
    const agenda = random.find((pack) => readRows(pack, 'agenda.csv')?.[2] !== undefined) ?? ''
    for (const [place, cell, fault] of [
      [0, '"another"', 'foreign-key'],
      [1, '"other"', 'constraint-error'],
      [3, '"2031-05-04"', 'type-error'],
    ] as const) {
      const copy = join(copies(), String(place))
      cpSync(agenda, copy, { recursive: true })
      changeCell(join(copy, 'agenda.csv'), place, cell)
      expect(validate(copy)).toContain(fault)
    }
  },
)

/** Changes a cell of the first row of a file. The cells before it must have no comma. */
function changeCell(path: string, place: number, cell: string): void {
  const [header = '', row = '', ...rows] = readFileSync(path, 'utf8').split('\r\n')
  writeFileSync(path, [header, row.split(',').with(place, cell).join(','), ...rows].join('\r\n'))
}

/** Compares two tables, and shows only the first cell that differs. */
function expectSame(actual: Table, expected: Table, path: string): void {
  expect(actual[0], path).toEqual(expected[0])
  expect(actual.length, path).toBe(expected.length)
  for (const [place, row] of expected.entries())
    for (const [at, cell] of row.entries())
      if (actual[place]?.[at] !== cell)
        expect(actual[place]?.[at], `${path}, row ${place}, ${expected[0]?.[at]}`).toBe(cell)
}
