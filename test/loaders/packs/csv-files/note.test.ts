import { expect, test } from 'vitest'
import { packNote } from '../../../../loaders/packs/csv-files/note.ts'
import { FILE_DESCRIPTIONS } from '../../../../loaders/packs/csv-files/pack-format.ts'

const files = Object.keys(FILE_DESCRIPTIONS)
const full = { files, personalData: 'full', excel: false, rollbackTo: null } as const

/** Returns the text of the note with its lines joined. */
const read = (options: Parameters<typeof packNote>[0]) => packNote(options).replaceAll(/\s+/g, ' ')

test('the note README.txt is ASCII with LF and lines of at most 78 characters, and names each file on a line of its own', () => {
  const text = packNote({ ...full, personalData: 'masked' })
  expect(text).toMatch(/^[\n -~]+\n$/)
  expect(text.split('\n').filter((line) => line.length > 78 || line !== line.trimEnd())).toEqual([])
  for (const [name, holds] of Object.entries(FILE_DESCRIPTIONS))
    expect(text).toMatch(new RegExp(`^  ${name} +${holds.slice(0, 9)}`, 'm'))
  expect(text.match(/\n {2}\S+ {2,}/g)).toHaveLength(files.length)
})

test('the note README.txt has a block of code for each tool, without indent and with the columns that it converts', () => {
  const text = packNote(full)
  for (const tool of ['pandas', 'polars', 'DuckDB', 'R', 'Excel (Power Query)', 'LibreOffice']) {
    const [, rest = ''] = text.split(`\n  ${tool}: `)
    const [, code = ''] = rest.split('\n\n')
    expect(code.split('\n').length, tool).toBeGreaterThan(2)
    expect(code, tool).toMatch(/^\S/)
    expect(code.split('agenda.csv'), tool).toHaveLength(2)
    if (tool === 'LibreOffice') continue
    if (tool !== 'DuckDB') expect(code, tool).toMatch(/start_time\W+end_time/)
    else
      expect(read(full)).toContain('start_time, end_time to timestamptz, local_start, local_end to timestamp')
  }
})

test('the note README.txt says how the settings of the pack change its files', () => {
  expect(read(full)).toContain('They have no byte order mark')
  expect(read({ ...full, excel: true })).toContain('They begin with a byte order mark')
  expect(read(full)).not.toContain('"masked"')
  expect(read({ ...full, personalData: 'masked' })).toContain('"masked" is in their place')
  expect(read({ ...full, personalData: 'masked' })).toContain('operations.jsonl has them')
  const sentToAPlatform = { ...full, personalData: 'masked', files: ['manifest.json'] } as const
  expect(read(sentToAPlatform)).not.toContain('operations.jsonl')
})

test('the note in the pack of a rollback names the run whose state was restored, and says what the files lack', () => {
  const rollbackTo = '01a1fda0-0000-7000-8000-000000000001'
  expect(read({ ...full, rollbackTo })).toContain(
    `were after run ${rollbackTo}. So there are no certificates`,
  )
  expect(read(full)).not.toContain('was a rollback')
})
