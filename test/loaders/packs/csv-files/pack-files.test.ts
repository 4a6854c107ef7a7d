import { expect, test } from 'vitest'
import { csvFilesOf } from '../../../../loaders/packs/csv-files/pack-files.ts'
import { PACK_FORMAT } from '../../../../loaders/packs/csv-files/pack-format.ts'

// Written by hand. The columns of the item files are not listed here; they are in the contract of the
// platform and in `pack.database.test.ts`.
const COLUMNS: Readonly<Record<string, string>> = {
  'decisions.csv': 'content resource source_id unique_id decision reason action detail',
  'changes.csv': 'content unique_id action field before after reason',
  'certificates.csv': 'resource certified requests elements distinct_ids declared end detail confirmed',
  'reconciliation.csv': 'content resource measure count expected pass',
  'load_results.csv': 'seq content unique_id op status code detail reason',
}

test('each file of a pack has exactly these columns in this order; another column needs a new format version', () => {
  expect(PACK_FORMAT).toBe(1)
  const columns = csvFilesOf().map((file) => [file.name, Object.keys(file.columns).join(' ')])
  expect(Object.fromEntries(columns)).toMatchObject(COLUMNS)
  expect(columns.length).toBe(Object.keys(COLUMNS).length + 3)
})

test('every column by which a file is sorted is a column of the file', () => {
  for (const { sortedBy = [], columns } of csvFilesOf())
    expect(Object.keys(columns)).toEqual(expect.arrayContaining([...sortedBy]))
})

test('a column has the same type in every file, so that the code in README.txt can convert columns by name', () => {
  const types = new Map<string, Set<string>>()
  for (const { columns } of csvFilesOf())
    for (const [name, { type, format }] of Object.entries(columns))
      types.set(name, (types.get(name) ?? new Set()).add(`${type} ${format ?? ''}`))
  expect([...types].filter(([, { size }]) => size > 1)).toEqual([])
})

test('agenda.csv ends with the local times and their zone, also if there are custom fields', () => {
  const custom = { agenda: { code: { name: 'code', from: 'Code', as: 'text' } } }
  const [agenda] = csvFilesOf(custom)
  expect(Object.keys(agenda?.columns ?? {}).slice(-4)).toEqual([
    'custom.code',
    ...['local_start', 'local_end', 'zone'],
  ])
})
