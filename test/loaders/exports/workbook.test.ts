import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { writeWorkbook } from '../../../loaders/exports/workbook.ts'
import { itemsFile, reconciliationFile } from '../../../loaders/packs/csv-files/pack-files.ts'
import { writePackOf } from './written-pack.ts'

const session = (id: string, more: Readonly<Record<string, string>> = {}) => ({
  unique_id: id,
  action: 'create',
  name: 'Opening',
  start_time: '2031-05-04T13:00:00Z',
  end_time: '2031-05-04T14:30:01Z',
  ...more,
})

async function sheetsIn(folder: string) {
  const { sheets } = await readXlsx(readFileSync(join(folder, 'pack.xlsx')))
  return sheets
}

const AGENDA = Object.keys(itemsFile('agenda').columns)
const at = (name: string) => AGENDA.indexOf(name)

test('a workbook has a sheet for each file, with dates in UTC, ids as text, filters and a frozen header', async () => {
  const { pack, to } = writePackOf(
    [itemsFile('agenda'), [session('007'), session('12345678901234567890')]],
    [reconciliationFile, [{ content: 'agenda', measure: 'items', count: 2, expected: 2, pass: 'true' }]],
  )
  expect(await writeWorkbook(pack, to, 'private')).toEqual([{ name: 'pack.xlsx', rows: 3, cut: 0 }])
  const [agenda, reconciliation] = await sheetsIn(to)
  expect([agenda?.name, reconciliation?.name]).toEqual(['agenda', 'reconciliation'])
  expect(agenda?.rows[0]).toEqual(AGENDA.map((name) => (/_time$/.test(name) ? `${name} (UTC)` : name)))
  const row = agenda?.rows[1] ?? []
  expect(row[at('unique_id')]).toBe('007')
  expect(row[at('start_time')]).toEqual(new Date('2031-05-04T13:00:00Z'))
  expect(row[at('end_time')]).toEqual(new Date('2031-05-04T14:30:01Z'))
  expect(agenda?.rows[2]?.[at('unique_id')]).toBe('12345678901234567890')
  expect(agenda?.autoFilter?.range).toBe('A1:O3')
  expect(agenda?.freezePane).toMatchObject({ rows: 1 })
  expect(reconciliation?.rows[1]).toEqual(['agenda', null, 'items', 2, 2, true])
})

test('texts that XML or Excel could change are read back as they were', async () => {
  const texts = [
    '=1+1',
    "'quoted",
    '_x0041_',
    ' a  b ',
    'tab\there',
    'one\r\ntwo\nthree',
    '<b>&amp;</b>',
    '😀\uFFFE\u0001',
  ]
  const { pack, to } = writePackOf([
    itemsFile('agenda'),
    texts.map((name, id) => session(String(id), { name })),
  ])
  await writeWorkbook(pack, to, 'private')
  const [agenda] = await sheetsIn(to)
  expect(agenda?.rows.slice(1).map((row) => row[at('name')])).toEqual(texts)
})

test('a number that Excel would round, and a time before its calendar, are texts', async () => {
  const { pack, to } = writePackOf(
    [
      itemsFile('agenda'),
      [session('1', { start_time: '1900-02-28T23:59:59Z', end_time: '1900-03-01T00:00:00Z' })],
    ],
    [
      reconciliationFile,
      [{ measure: 'control_total', count: 999999999999999n, expected: 1000000000000001n }],
    ],
  )
  await writeWorkbook(pack, to, 'private')
  const [agenda, reconciliation] = await sheetsIn(to)
  expect([agenda?.rows[1]?.[at('start_time')], agenda?.rows[1]?.[at('end_time')]]).toEqual([
    '1900-02-28T23:59:59Z',
    new Date('1900-03-01T00:00:00Z'),
  ])
  expect(reconciliation?.rows[1]?.slice(3, 5)).toEqual([999999999999999, '1000000000000001'])
})

test('a text that is too long for a cell is cut between two characters, and counted', async () => {
  const longest = 'x'.repeat(32_767)
  const tooLong = `${'x'.repeat(32_765)}😀x`
  const { pack, to } = writePackOf([
    itemsFile('agenda'),
    [session('1', { description: longest }), session('2', { description: tooLong })],
  ])
  expect(await writeWorkbook(pack, to, 'private')).toEqual([{ name: 'pack.xlsx', rows: 2, cut: 1 }])
  const [agenda] = await sheetsIn(to)
  expect(agenda?.rows.slice(1).map((row) => row[at('description')])).toEqual([
    longest,
    `${'x'.repeat(32_765)}…`,
  ])
})

test.each([
  [0, [['agenda', 1]]],
  [2, [['agenda', 3]]],
  [
    5,
    [
      ['agenda', 3],
      ['agenda 2', 3],
      ['agenda 3', 2],
    ],
  ],
])('%i rows in sheets of three rows make the sheets %j', async (count, expected) => {
  const rows = Array.from({ length: count }, (_, id) => session(String(id)))
  const { pack, to } = writePackOf([itemsFile('agenda'), rows])
  expect(await writeWorkbook(pack, to, 'private', 3)).toEqual([{ name: 'pack.xlsx', rows: count, cut: 0 }])
  const sheets = await sheetsIn(to)
  expect(sheets.map((sheet) => [sheet.name, sheet.rows.length])).toEqual(expected)
  const ids = sheets.flatMap((sheet) => sheet.rows.slice(1).map(([id]) => id))
  expect(ids).toEqual(rows.map((row) => row.unique_id))
})

test('a row that cannot be read ends the workbook with the error of that row', async () => {
  const { pack, to } = writePackOf([itemsFile('agenda'), [session('1', { action: 'explode' })]])
  await expect(writeWorkbook(pack, to, 'private')).rejects.toThrow(
    'row 1, column action: the value is not one of this column',
  )
})
