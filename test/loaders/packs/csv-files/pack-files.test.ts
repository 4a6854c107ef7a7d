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
