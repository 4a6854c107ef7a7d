import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Loopback, serve } from '../harness/loopback.ts'
import { answerReader } from '../pipeline/extract/read-in-memory.ts'
import { failedRead } from '../pipeline/extract/requests.ts'

const folder = new URL('../../../shared/suites/json-test-suite/test_parsing/', import.meta.url)

const NO_JSON = 'the answer is not JSON'
const NO_UTF8 = 'the answer is not UTF-8'
const UTF16 = 'the answer is not UTF-8 but UTF-16'
/**
 * Messages for invalid files, in addition to the usual one. A file that ends too early looks like a truncated
 * answer. An empty file and a file that begins like markup have messages of their own. A file that begins
 * with a string is refused before its end is read.
 */
const OTHER_FAULTS = [
  'a single value where an array is due',
  'the answer was cut: it ends within its JSON',
  'the answer is empty',
  'the answer is not JSON but a web page',
  NO_UTF8,
  UTF16,
]
const TOO_DEEP = 'a record is nested deeper than 64 levels'
const NO_PLAIN_KEY = 'an object where an array is due: a key that is no plain name'

/**
 * Files for which the suite allows any result. The list was made by hand and has the files that the product
 * must refuse, by the error message. All other files for which the suite allows any result are read as one
 * element.
 *
 * Numbers of any size are accepted with all digits, and lone surrogates are replaced before they reach the
 * database. Text must be UTF-8.
 */
const LEFT_OPEN: Readonly<Record<string, readonly string[]>> = {
  [NO_UTF8]: [
    ...['UTF-8_invalid_sequence', 'UTF8_surrogate_U+D800', 'invalid_utf-8', 'iso_latin_1'],
    ...[
      'lone_utf8_continuation_byte',
      'not_in_unicode_range',
      'overlong_sequence_2_bytes',
      'truncated-utf-8',
    ],
    ...['overlong_sequence_6_bytes', 'overlong_sequence_6_bytes_null'],
  ].map((name) => `i_string_${name}.json`),
  [UTF16]: ['UTF-16LE_with_BOM', 'utf16BE_no_BOM', 'utf16LE_no_BOM'].map((name) => `i_string_${name}.json`),
  [NO_PLAIN_KEY]: ['i_object_key_lone_2nd_surrogate.json'],
  [TOO_DEEP]: ['i_structure_500_nested_arrays.json'],
  'an empty object': ['i_structure_UTF-8_BOM_empty_object.json'],
}
const refusalOf = (file: string) =>
  Object.keys(LEFT_OPEN).find((message) => LEFT_OPEN[message]?.includes(file)) ?? null

/** Files that the reader refuses before it reaches the fault for which the file was made. */
const REFUSED_EARLIER: Readonly<Record<string, string>> = {
  'n_structure_100000_opening_arrays.json': TOO_DEEP,
  'n_structure_open_array_object.json': TOO_DEEP,
}

if (existsSync(folder)) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const beginningWith = (letter: string) => files.filter((name) => name.startsWith(`${letter}_`))
  const bytesOf = (file: string) => readFileSync(new URL(encodeURIComponent(file), folder))

  let server: Loopback
  beforeAll(async () => {
    server = await serve((request, response) => {
      const bytes = bytesOf(decodeURIComponent((request.url ?? '').slice(1)))
      // The body is sent in two pieces, so that the reader must join the pieces of each file.
      response.write(bytes.subarray(0, bytes.length / 2))
      setImmediate(() => response.end(bytes.subarray(bytes.length / 2)))
    })
  })
  afterAll(() => server.close())
  const read = (file: string) => answerReader(server.url)(encodeURIComponent(file))
  const messageOf = async (file: string) =>
    (await failedRead(read(file))).message.replace(/(?:; waiting|: check|: report|: JSON must be) .*/, '')

  test('the folder of the JSON test suite contains the expected number of files', () => {
    expect(['i', 'n', 'y'].map((letter) => beginningWith(letter).length)).toEqual([35, 188, 95])
    for (const file of Object.values(LEFT_OPEN).flat()) expect(beginningWith('i')).toContain(file)
  })

  describe('invalid JSON is a failed read, never a page without records', () => {
    test.each(beginningWith('n'))('%s', async (file) => {
      expect([REFUSED_EARLIER[file] ?? NO_JSON, ...OTHER_FAULTS]).toContain(await messageOf(file))
    })
  })

  describe('valid JSON is read element by element if it is a list', () => {
    const values = beginningWith('y').map((file): [string, unknown] => [
      file,
      JSON.parse(bytesOf(file).toString()),
    ])

    test.each(values.filter(([, value]) => Array.isArray(value)))('%s', async (file, value) => {
      const { page, totals } = await read(file)
      expect(page.form).toBe('array')
      expect(totals.elements).toBe((value as readonly unknown[]).length)
      expect(page.elements).toBe(totals.elements)
    })

    test.each(values.filter(([, value]) => !Array.isArray(value)))(
      'a valid JSON value that is not a list is refused: %s',
      async (file, value) => {
        const isObject = typeof value === 'object' && value !== null
        const keys = isObject
          ? /^an (object where an array is due: .+|empty object)$/
          : /^a single value where an array is due$/
        expect(await messageOf(file)).toMatch(keys)
      },
    )
  })

  describe('JSON that the suite leaves open is read or refused', () => {
    test.each(beginningWith('i').map((file) => [file, refusalOf(file)] as const))(
      '%s: %s',
      async (file, message) => {
        if (message === null) expect((await read(file)).totals.elements).toBe(1)
        else expect(await messageOf(file)).toBe(message)
      },
    )
  })
} else {
  test.skip(`json-test-suite: not run, ${folder.pathname} is not here`, () => {})
}
