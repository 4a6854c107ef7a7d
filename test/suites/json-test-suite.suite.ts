import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerReader } from '../pipeline/extract/read-answer.ts'
import { failedRead } from '../pipeline/extract/requests.ts'
import { serve, type TestServer } from '../pipeline/extract/support.ts'

const folder = new URL('../../../shared/suites/json-test-suite/test_parsing/', import.meta.url)

const NO_JSON = 'the answer is not JSON'
const NO_UTF8 = 'the answer is not UTF-8'
const TOO_DEEP = 'a record is nested deeper than 64 levels'
const NO_PLAIN_KEY = 'an object where an array is due: a key that is no plain name'

/**
 * What the suite leaves open, decided by hand: the number of elements, or the message of the failed read.
 *
 * Numbers keep their digits whatever their size, lone surrogates are replaced on their way into the database, and
 * text must be UTF-8.
 */
const LEFT_OPEN: Readonly<Record<string, number | string>> = {
  'i_number_double_huge_neg_exp.json': 1,
  'i_number_huge_exp.json': 1,
  'i_number_neg_int_huge_exp.json': 1,
  'i_number_pos_double_huge_exp.json': 1,
  'i_number_real_neg_overflow.json': 1,
  'i_number_real_pos_overflow.json': 1,
  'i_number_real_underflow.json': 1,
  'i_number_too_big_neg_int.json': 1,
  'i_number_too_big_pos_int.json': 1,
  'i_number_very_big_negative_int.json': 1,
  'i_object_key_lone_2nd_surrogate.json': NO_PLAIN_KEY,
  'i_string_1st_surrogate_but_2nd_missing.json': 1,
  'i_string_1st_valid_surrogate_2nd_invalid.json': 1,
  'i_string_UTF-16LE_with_BOM.json': NO_UTF8,
  'i_string_UTF-8_invalid_sequence.json': NO_UTF8,
  'i_string_UTF8_surrogate_U+D800.json': NO_UTF8,
  'i_string_incomplete_surrogate_and_escape_valid.json': 1,
  'i_string_incomplete_surrogate_pair.json': 1,
  'i_string_incomplete_surrogates_escape_valid.json': 1,
  'i_string_invalid_lonely_surrogate.json': 1,
  'i_string_invalid_surrogate.json': 1,
  'i_string_invalid_utf-8.json': NO_UTF8,
  'i_string_inverted_surrogates_U+1D11E.json': 1,
  'i_string_iso_latin_1.json': NO_UTF8,
  'i_string_lone_second_surrogate.json': 1,
  'i_string_lone_utf8_continuation_byte.json': NO_UTF8,
  'i_string_not_in_unicode_range.json': NO_UTF8,
  'i_string_overlong_sequence_2_bytes.json': NO_UTF8,
  'i_string_overlong_sequence_6_bytes.json': NO_UTF8,
  'i_string_overlong_sequence_6_bytes_null.json': NO_UTF8,
  'i_string_truncated-utf-8.json': NO_UTF8,
  'i_string_utf16BE_no_BOM.json': NO_UTF8,
  'i_string_utf16LE_no_BOM.json': NO_UTF8,
  'i_structure_500_nested_arrays.json': TOO_DEEP,
  'i_structure_UTF-8_BOM_empty_object.json': 'an empty object',
}

/** Files that are refused before the fault that they are about is reached. */
const REFUSED_EARLIER: Readonly<Record<string, string>> = {
  'n_structure_100000_opening_arrays.json': TOO_DEEP,
  'n_structure_open_array_object.json': TOO_DEEP,
}

if (existsSync(folder)) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const beginningWith = (letter: string) => files.filter((name) => name.startsWith(`${letter}_`))
  const bytesOf = (file: string) => readFileSync(new URL(encodeURIComponent(file), folder))

  let server: TestServer
  beforeAll(async () => {
    server = await serve((request, response) => {
      const bytes = bytesOf(decodeURIComponent((request.url ?? '').slice(1)))
      // In two pieces, so that each file is cut somewhere.
      response.write(bytes.subarray(0, bytes.length / 2))
      setImmediate(() => response.end(bytes.subarray(bytes.length / 2)))
    })
  })
  afterAll(() => server.close())
  const read = (file: string) => answerReader(server.url)(encodeURIComponent(file))
  const messageOf = async (file: string) => (await failedRead(read(file))).message.replace(/; waiting .*/, '')

  test('the suite is whole', () => {
    expect(['i', 'n', 'y'].map((letter) => beginningWith(letter).length)).toEqual([35, 188, 95])
    expect(beginningWith('i').toSorted()).toEqual(Object.keys(LEFT_OPEN).toSorted())
  })

  describe('what is no JSON is a failed read, never a page without records', () => {
    test.each(beginningWith('n'))('%s', async (file) => {
      expect([REFUSED_EARLIER[file] ?? NO_JSON, NO_UTF8]).toContain(await messageOf(file))
    })
  })

  describe('what is JSON is read where it is a list, element by element', () => {
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
      'and refused where not: %s',
      async (file, value) => {
        const isObject = typeof value === 'object' && value !== null
        const keys = isObject
          ? /^an (object where an array is due: .+|empty object)$/
          : /^a single value where an array is due$/
        expect(await messageOf(file)).toMatch(keys)
      },
    )
  })

  describe('what may be either is read or refused', () => {
    test.each(Object.entries(LEFT_OPEN))('%s: %s', async (file, outcome) => {
      if (typeof outcome === 'number') expect((await read(file)).totals.elements).toBe(outcome)
      else expect(await messageOf(file)).toBe(outcome)
    })
  })
} else {
  test.skip(`json-test-suite: not run, ${folder.pathname} is not here`, () => {})
}
