import type { parser } from 'stream-json'
import { expect, test } from 'vitest'
import { assembleElements, MAX_NESTING } from '../../../pipeline/extract/element-assembler.ts'
import type { Json } from '../../../transforms/rules/json.ts'

const open = (name: 'startObject' | 'endObject' | 'startArray' | 'endArray'): parser.Token => ({ name })
const key = (value: string): parser.Token => ({ name: 'keyValue', value })
const number = (value: string): parser.Token => ({ name: 'numberValue', value })
const text = (value: string): parser.Token => ({ name: 'stringValue', value })

function assemble(...tokens: readonly parser.Token[]): readonly (Json | undefined)[] {
  const assembler = assembleElements()
  return tokens.map((token) => assembler.take(token))
}

test('a token that completes a value gives it, every other gives nothing', () => {
  expect(assemble(text('a'), number('1'), { name: 'nullValue', value: null })).toEqual(['a', 1, null])
  expect(
    assemble(open('startObject'), key('list'), open('startArray'), number('1'), open('endArray')),
  ).toEqual([undefined, undefined, undefined, undefined, undefined])
  expect(
    assemble(
      open('startObject'),
      key('a'),
      open('startObject'),
      key('b'),
      { name: 'trueValue', value: true },
      open('endObject'),
      key('c'),
      { name: 'falseValue', value: false },
      open('endObject'),
    ).at(-1),
  ).toEqual({ a: { b: true }, c: false })
})

test('values follow one another without a trace of the one before', () => {
  const values = assemble(
    open('startObject'),
    key('a'),
    number('1'),
    open('endObject'),
    open('startArray'),
    text('x'),
    open('endArray'),
    open('startObject'),
    open('endObject'),
  ).filter((value) => value !== undefined)
  expect(values).toEqual([{ a: 1 }, ['x'], {}])
})

test('digits that a double would lose are kept', () => {
  expect(JSON.stringify(assemble(number('99999999999999999'), number('1.0'), number('5')))).toBe(
    '[99999999999999999,1.0,5]',
  )
})

test('__proto__ becomes a key of its own', () => {
  const [value] = assemble(
    open('startObject'),
    key('__proto__'),
    open('startObject'),
    key('a'),
    number('1'),
    open('endObject'),
    open('endObject'),
  ).slice(-1)
  expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1}}')
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})

test('a value that is nested too deep is refused while it is read', () => {
  const assembler = assembleElements()
  for (let level = 0; level < MAX_NESTING; level += 1) assembler.take(open('startArray'))
  expect(() => assembler.take(open('startArray'))).toThrow(RangeError)
})
