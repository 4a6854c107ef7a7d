import { expect, test } from 'vitest'
import { customReader } from '../../../transforms/resources/custom-fields.ts'
import { EXACT_KEYS } from '../../../transforms/resources/resource.ts'
import { sessions } from '../../../transforms/resources/source-a.ts'
import type { JsonObject } from '../../../transforms/rules/values.ts'

const field = (name: string, from: string) => [name, { name, from, as: 'text' as const }] as const
const reading = (paths: readonly string[], keys = sessions.keys) => {
  const fields = Object.fromEntries(paths.map((path, index) => field(`own${index}`, path)))
  return customReader({ agenda: fields }, ['agenda'], keys)
}

test.each([
  ['constructor', { constructor: 'x' }],
  ['constructor.Constructor', { constructor: { constructor: 'x' } }],
  ['Deep.__proto__', { deep: JSON.parse('{"__proto__": "x"}') }],
] as const)('a key that every object has is read where the source wrote it: %s', (path, record) => {
  expect(reading([path])(sessions.keys.prepare(record)).value).toBe('{"agenda":{"own0":"x"}}')
})

test('a key that every object has is absent where the source did not write it', () => {
  const read = reading(['constructor', 'constructor.name', '__proto__'])
  expect(read(sessions.keys.prepare({ Id: 's1' }))).toEqual({ value: null, warnings: [] })
})

test('many paths into one object go through its keys once', () => {
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
