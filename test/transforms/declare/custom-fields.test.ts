import { expect, test } from 'vitest'
import { customReader } from '../../../transforms/declare/custom-fields.ts'
import { EXACT_KEYS } from '../../../transforms/declare/resource.ts'
import type { Json, JsonObject } from '../../../transforms/rules/values.ts'
import { sessions } from '../../../transforms/source-a/resources.ts'

const field = (name: string, from: string) => [name, { name, from, as: 'text' as const }] as const
const reading = (paths: readonly string[], keys = sessions.keys) => {
  const fields = Object.fromEntries(paths.map((path, index) => field(`own${index}`, path)))
  return customReader({ agenda: fields }, ['agenda'], keys)
}

test.each([
  ['constructor', { constructor: 'x' }],
  ['constructor.Constructor', { constructor: { constructor: 'x' } }],
  ['Deep.__proto__', { deep: JSON.parse('{"__proto__": "x"}') }],
] as const)('a key that every JavaScript object has is read if the source wrote it: %s', (path, record) => {
  expect(reading([path])(sessions.keys.prepare(record)).value).toBe('{"agenda":{"own0":"x"}}')
})

test('a key that every JavaScript object has is missing if the source did not write it', () => {
  const read = reading(['constructor', 'constructor.name', '__proto__'])
  expect(read(sessions.keys.prepare({ Id: 's1' }))).toEqual({ value: null, warnings: [] })
})

test.each<readonly [string, string | null]>([
  ['-0', '-0'],
  ['1.50E2', '1.50E2'],
  [' 2e-7 ', '2e-7'],
  ['9'.repeat(999), '9'.repeat(999)],
  ['9'.repeat(1000), null],
  [`${'9'.repeat(999)}.${'9'.repeat(999)}`, `${'9'.repeat(999)}.${'9'.repeat(999)}`],
  [`0.${'0'.repeat(1000)}`, null],
  ['1e-1000', '1e-1000'],
  ['1e1001', null],
  ['1e-0001000', '1e-0001000'],
  ...['007', '+5', '.5', '5.', '1,000', '0x1', '--1', 'NaN', '1 2'].map((text) => [text, null] as const),
])('a text is a number by the grammar of JSON, up to a maximum length: %.20s', (text, digits) => {
  const number = { name: 'own', from: 'Score', as: 'number' }
  const read = customReader({ agenda: { own: number } }, ['agenda'], EXACT_KEYS)
  expect(read({ Score: text })).toEqual(
    digits === null
      ? { value: null, warnings: ['left_out:agenda.custom.own'] }
      : { value: `{"agenda":{"own":${digits}}}`, warnings: [] },
  )
})

test('if many paths lead into one object, its keys are read only once', () => {
  let prepared = 0
  const prepare = (object: JsonObject) => {
    prepared += 1
    return object
  }
  const paths = Array.from({ length: 40 }, (_, index) => `Answers.q${index}`)
  const read = reading(paths, { ...EXACT_KEYS, prepare })
  expect(read({ Answers: { q7: 'x' } }).value).toBe('{"agenda":{"own7":"x"}}')
  expect(prepared).toBe(1)
})

test.each<readonly [string, Json, string | null]>([
  ['a list', ['a', 'b'], '["a","b"]'],
  ['an object with number keys', { 2: 'b', 0: 'a' }, '["a","b"]'],
  ['JSON in a text', ' ["a",12345678901234567] ', '["a","12345678901234567"]'],
  ['another text, which is a list of one', '[a] b', '["[a] b"]'],
  ['an empty list in a text', '[]', null],
])('a list of texts is read from %s', (_, value, expected) => {
  const list = { name: 'own', from: 'Tags', as: 'list' }
  const read = customReader({ agenda: { own: list } }, ['agenda'], EXACT_KEYS)
  const found = expected === null ? null : `{"agenda":{"own":${expected}}}`
  expect(read({ Tags: value })).toEqual({ value: found, warnings: [] })
})
