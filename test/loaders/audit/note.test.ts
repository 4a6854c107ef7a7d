import { expect, test } from 'vitest'
import { HOLDS } from '../../../loaders/audit/holds.ts'
import { packNote } from '../../../loaders/audit/note.ts'
import { CONTENT_MEASURES, RESOURCE_MEASURES } from '../../../transforms/reconciliation/figure.ts'

const files = Object.keys(HOLDS)
const full = { files, personalData: 'full', excel: false } as const

/** The note with its lines put together again. */
const read = (options: Parameters<typeof packNote>[0]) => packNote(options).replaceAll(/\s+/g, ' ')

test('the note says how to check the pack, how to read its CSV files, and what spreadsheets do to them', () => {
  const text = read(full)
  for (const part of [
    'sha256sum -c SHA256SUMS event-sync verify DIR The first',
    'RFC 4180: UTF-8, lines that end with CR LF',
    'in each element \\ is written \\\\ and ; is written \\;',
    "or ' has one ' in front; take it away to restore the value",
    '007 becomes 7',
    '12345678901234567 becomes 12345678901234500',
    'Excel: Data > From Text/CSV',
    '"Format quoted field as text" on',
  ])
    expect(text).toContain(part)
})

test('it says what each proof of an end, reason, mark and measure means', () => {
  const text = read(full)
  const reasons = [
    'duplicate_id',
    'cancelled',
    'not_a_speaker',
    'not_published',
    'one_to_one_meeting',
    'bad_time',
  ]
  for (const proof of ['overlap', 'last link', 'empty page', 'total met', 'unpaged array'])
    expect(text).toContain(`${proof}: `)
  for (const word of [...reasons, 'invalid_record', 'missing_required:FIELD', 'withheld'])
    expect(text).toContain(word)
  for (const mark of [
    'ambiguous_time',
    'dangling_reference',
    'left_out',
    'not_synced',
    'not_text',
    'unsupported_character',
  ])
    expect(text).toContain(mark)
  const own = [...RESOURCE_MEASURES, ...CONTENT_MEASURES].filter(
    (measure) => !/^(?:read|records|synced|removals_)/.test(measure),
  )
  for (const measure of own) expect(text).toContain(measure)
})

test('it is plain text: LF, ASCII, no line longer than 78 characters, each file on a line of its own', () => {
  const text = packNote({ ...full, personalData: 'masked' })
  expect(text).toMatch(/^[\n -~]+\n$/)
  expect(text.split('\n').filter((line) => line.length > 78 || line !== line.trimEnd())).toEqual([])
  for (const [name, holds] of Object.entries(HOLDS))
    expect(text).toMatch(new RegExp(`^  ${name} +${holds.slice(0, 9)}`, 'm'))
  expect(text.match(/\n {2}\S+ {2,}/g)).toHaveLength(files.length)
})

test('it says what the settings make of the files', () => {
  expect(read(full)).toContain('They have no byte order mark')
  expect(read({ ...full, excel: true })).toContain('They begin with a byte order mark')
  expect(read(full)).not.toContain('"masked"')
  expect(read({ ...full, personalData: 'masked' })).toContain('"masked" stands in their place')
  expect(read({ ...full, personalData: 'masked' })).toContain('operations.jsonl has them')
  const sentToAPlatform = { ...full, personalData: 'masked', files: ['manifest.json'] } as const
  expect(read(sentToAPlatform)).not.toContain('operations.jsonl')
})
