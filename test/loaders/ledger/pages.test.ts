import { expect, test } from 'vitest'
import { readPages } from '../../../loaders/ledger/pages.ts'

test.each([
  [0, []],
  [2, [[1, 2]]],
  [3, [[1, 2, 3]]],
  [4, [[1, 2, 3], [4]]],
])('%i rows are read in pages of at most three rows, and no page is empty', async (count, pages) => {
  const rows = Array.from({ length: count }, (_, place) => place + 1)
  const read = async (after: number) => rows.slice(after, after + 3)
  expect(await Array.fromAsync(readPages(0, 3, read, (row) => row))).toEqual(pages)
})
