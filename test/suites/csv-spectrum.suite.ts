import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeCsv } from '../../loaders/audit/csv.ts'
import { readCsv } from '../traps/pack.ts'

const folder = fileURLToPath(new URL('../../../shared/suites/csv-spectrum/json/', import.meta.url))

if (existsSync(folder)) {
  let output = ''
  beforeAll(() => {
    output = mkdtempSync(join(tmpdir(), 'event-sync-spectrum-'))
  })
  afterAll(() => rmSync(output, { recursive: true, force: true }))

  test.each(readdirSync(folder))('%s: what is written as CSV is read back', async (file) => {
    const rows: readonly Readonly<Record<string, string>>[] = [
      // One file holds its only row without a list.
      JSON.parse(readFileSync(join(folder, file), 'utf8')),
    ].flat()
    const columns = Object.keys(rows[0] ?? {})
    // The header of a pack is never quoted: its names are ours.
    const names = columns.map((_, index) => `column_${index}`)
    async function* pages() {
      yield rows.map((row) => columns.map((column) => row[column] ?? null))
    }
    const { name } = await writeCsv(output, `${file}.csv`, names, pages())
    const read = readCsv(join(output, name)).map((row) => Object.values(row))
    expect(read).toEqual(rows.map((row) => Object.values(row)))
  })
} else {
  test.skip(`csv-spectrum: not run, ${folder} is not here`, () => {})
}
