import { join } from 'node:path'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet'
import { expect, test } from 'vitest'
import { writeParquet } from '../../../loaders/exports/parquet.ts'
import { itemsFile, reconciliationFile } from '../../../loaders/packs/csv-files/pack-files.ts'
import { writePackOf } from './written-pack.ts'

const session = (id: string, more: Readonly<Record<string, string>> = {}) => ({
  unique_id: id,
  action: 'create',
  name: 'Opening',
  start_time: '2031-05-04T13:00:00Z',
  end_time: '2031-05-04T14:00:00Z',
  ...more,
})

test('times are instants in UTC, lists are lists, ids are texts, and absent values are null', async () => {
  const agenda = itemsFile('agenda', { agenda: { diet: { name: 'diet', from: 'Answers.Diet', as: 'text' } } })
  const { pack, to } = writePackOf([
    agenda,
    [
      session('007', { speaker_ids: 'u1; u\\;2', session_tracks: 'A', 'custom.diet': 'vegan' }),
      session('008', { name: '=1+1', start_time: '0001-01-01T00:00:00Z', end_time: '9999-12-31T23:59:59Z' }),
    ],
  ])
  expect(await writeParquet(pack, to, 'private')).toEqual([{ name: 'agenda.parquet', rows: 2, cut: 0 }])
  const file = await asyncBufferFromFile(join(to, 'agenda.parquet'))
  const [first, second] = await parquetReadObjects({ file })
  expect(Object.keys(first ?? {})).toEqual(Object.keys(agenda.columns))
  expect(first).toMatchObject({
    unique_id: '007',
    start_time: new Date('2031-05-04T13:00:00Z'),
    speaker_ids: ['u1', 'u;2'],
    session_tracks: ['A'],
    'custom.diet': 'vegan',
    location: null,
  })
  expect(second).toMatchObject({
    name: '=1+1',
    start_time: new Date('0001-01-01T00:00:00Z'),
    end_time: new Date('9999-12-31T23:59:59Z'),
    // hyparquet reads a list that is null as undefined.
    speaker_ids: undefined,
  })
  const { children } = parquetSchema(await parquetMetadataAsync(file))
  const start = children.find(({ element }) => element.name === 'start_time')
  expect(start?.element.logical_type).toEqual({ type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' })
})

test('a file without rows has all columns', async () => {
  const { pack, to } = writePackOf([itemsFile('speakers'), []])
  expect(await writeParquet(pack, to, 'private')).toEqual([{ name: 'speakers.parquet', rows: 0, cut: 0 }])
  const metadata = await parquetMetadataAsync(await asyncBufferFromFile(join(to, 'speakers.parquet')))
  expect(metadata.num_rows).toBe(0n)
  expect(parquetSchema(metadata).children.map(({ element }) => element.name)).toEqual(
    Object.keys(itemsFile('speakers').columns),
  )
})

test('a control total of more than 64 bits keeps all its digits', async () => {
  const total = 12345678901234567890123n
  const { pack, to } = writePackOf([
    reconciliationFile,
    [{ content: 'agenda', measure: 'control_total', count: total, expected: total, pass: 'true' }],
  ])
  await writeParquet(pack, to, 'private')
  const file = await asyncBufferFromFile(join(to, 'reconciliation.parquet'))
  const { row_groups: groups } = await parquetMetadataAsync(file)
  const count = groups[0]?.columns.find((column) => column.meta_data?.path_in_schema[0] === 'count')
  expect(count?.meta_data?.type).toBe('FIXED_LEN_BYTE_ARRAY')
  const [row] = await parquetReadObjects({ file })
  // hyparquet reads a decimal as a number; pyarrow reads all digits, see the proof of tools.
  expect(Number(row?.count)).toBeCloseTo(Number(total), -10)
  expect(row?.pass).toBe(true)
})

test('rows are written in groups, so that only one group is in memory', async () => {
  const rows = Array.from({ length: 20_001 }, (_, at) => session(String(at)))
  const { pack, to } = writePackOf([itemsFile('agenda'), rows])
  await writeParquet(pack, to, 'private')
  const file = await asyncBufferFromFile(join(to, 'agenda.parquet'))
  const { row_groups: groups } = await parquetMetadataAsync(file)
  expect(groups.map(({ num_rows: number }) => number)).toEqual([10_000n, 10_000n, 1n])
  const read = await parquetReadObjects({ file, columns: ['unique_id'] })
  expect(read).toEqual(rows.map(({ unique_id: id }) => ({ unique_id: id })))
})
