import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSimpleYaml } from '../../../pipeline/settings/simple-yaml.ts'
import { parseWithPositions, parseYaml } from '../../../pipeline/settings/yaml.ts'

const KEYS_OF_TEXT = new Set(['id', 'eventId', 'version'])

const CONFIGURATION = `# Our events
database: env:DATABASE_URL
defaults:
  source: {type: a, url: https://source-a.example, timeZone: Europe/Berlin}
  removals: {maxShare: 0.1}
integrations:
  - ./customers/*.yaml
  - id: expo
    name: "Expo: the 2nd"   # a comment
    source: {eventId: 0078, timeZone: null}
    content: [agenda, speakers,]
    exclude:
      - {"name":test-people, content: attendees, where: {company: ['TEST', Example Inc]}}
      - name: drafts
        where:
          name:
          - A

          - B C
    schedule:
      cron: "0 */4 * * *"
      timeZone:
  # another comment
  -  id: 12
     source:
       version: 1.10
     removals:
       maxShare: 1.10
     guards: {blackout: False, maxQuarantined: -3}
webhook:
- url: env:WEBHOOK_URL
  on: [held]
retention: {packs: 400d, history: 30d}
`

test('a configuration of the usual form is read without the package yaml, with the same values', () => {
  const value = readSimpleYaml(CONFIGURATION, KEYS_OF_TEXT)
  expect(value).toMatchObject({
    integrations: ['./customers/*.yaml', { source: { eventId: '0078' } }, { id: '12' }],
  })
  expect(value).toStrictEqual(parseWithPositions(CONFIGURATION, KEYS_OF_TEXT).value)
  expect(readSimpleYaml(CONFIGURATION.replaceAll('\n', '\r\n'), KEYS_OF_TEXT)).toStrictEqual(value)
})

test('JSON on one line is read without the package yaml', () => {
  const value = { database: 'env:DATABASE_URL', integrations: [{ id: 'a b', maxShare: 0.5, content: [] }] }
  expect(readSimpleYaml(JSON.stringify(value), KEYS_OF_TEXT)).toStrictEqual(value)
})

test('positions in a configuration of the usual form are those of the package yaml', () => {
  const path = ['integrations', 1, 'source', 'eventId']
  const { positionOf } = parseYaml(CONFIGURATION, KEYS_OF_TEXT)
  expect(positionOf(path)).toEqual({ line: 10, column: 14 })
})

describe('what the reader does not know is left to the package yaml', () => {
  test.each([
    ['an alias', 'a: &one {b: 1}\nc: *one'],
    ['a merge key', 'a: {<<: {b: 1}}'],
    ['a block of text', 'a: |\n  b'],
    ['a text on two lines', 'a: b\n  c'],
    ['an escape', String.raw`a: "b\n"`],
    ['a quotation mark within quotation marks', "a: 'it''s'"],
    ['a tag', 'a: !!str b'],
    ['a list in brackets on two lines', 'a: [b,\n  c]'],
    ['a number with an exponent', 'a: 1e3'],
    ['a number with more digits than a double', 'a: 12345678901234567890'],
    ['a number in base 16', 'a: 0x1f'],
    ['a key that is no text', 'true: a'],
    ['a key that cannot be used', '__proto__: {a: 1}'],
    ['a document without a mapping or list', 'a'],
    ['deep nesting', `a: ${'['.repeat(60)}${']'.repeat(60)}`],
    // The following are mistakes, which the package yaml reports.
    ['a key that appears twice', 'a: 1\na: 2'],
    ['a wrong indentation', 'a:\n  b: 1\n c: 2'],
    ['a first line with an indentation', '  a: 1\nb: 2'],
    ['a tab', 'a:\n\tb: 1'],
    ['a missing bracket', 'a: [b'],
    ['a second colon', 'a: b: c'],
    ['a second document', 'a: 1\n---\nb: 2'],
    ['text after a quotation mark', 'a: "b" c'],
    ['a key in quotation marks without a space after its colon', '"a":1'],
  ])('%s', (_, text) => {
    expect(readSimpleYaml(text, KEYS_OF_TEXT)).toBeUndefined()
  })
})

const PIECES =
  `a id eventId b1 -3 - : ; , [ ] { } " ' # & * ! | > ? % @ ~ + = . / \\ < _ é \u00a0 \u2028 \ufeff
  "x" 'y z' 1 007 1.5 .5 1e3 0o7 .inf 400d null Null true https://x.example/a?b#c ./c/*.yaml env:KEY --- ... __proto__`
    .split(/[ \n]+/)
    .concat([
      ' ',
      '  ',
      ': ',
      '- ',
      ', ',
      ' # c',
      '\t',
      '\r',
      '\r\n',
      '\n',
      '\n\n',
      '\n  ',
      '\n    ',
      '\n  - ',
      '\n- ',
    ])

const piece = fc.constantFrom(...PIECES)
const ofPieces = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''))
const LINES = CONFIGURATION.split('\n')
const part = fc
  .tuple(fc.nat(LINES.length - 1), fc.integer({ min: 1, max: LINES.length }))
  .map(([from, count]) => LINES.slice(from, from + count).join('\n'))
const edit = fc.record({ at: fc.nat(1000), removed: fc.nat(4), added: fc.oneof(fc.constant(''), piece) })
const edited = fc.tuple(part, fc.array(edit, { maxLength: 3 })).map(([text, edits]) =>
  edits.reduce((now, { at, removed, added }) => {
    const from = at % (now.length + 1)
    return now.slice(0, from) + added + now.slice(from + removed)
  }, text),
)

test('no text is read in another way than by the package yaml', () => {
  let read = 0
  fc.assert(
    fc.property(fc.oneof(ofPieces, edited, edited), (text) => {
      const value = readSimpleYaml(text, KEYS_OF_TEXT)
      if (value === undefined) return
      read += 1
      const { value: expected, problems } = parseWithPositions(text, KEYS_OF_TEXT)
      expect({ value, problems: [] }).toStrictEqual({ value: expected, problems })
    }),
    { numRuns: 20_000 },
  )
  expect(read).toBeGreaterThan(1000)
})
