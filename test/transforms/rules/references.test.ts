import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inByteOrder, readReferences } from '../../../transforms/rules/references.ts'
import type { Warning } from '../../../transforms/rules/values.ts'
import { type Json, toJsonNumber } from '../../../transforms/rules/values.ts'

describe('references', () => {
  test.each<[name: string, value: Json | undefined, ids: readonly string[], warnings: readonly Warning[]]>([
    ['null names nobody', null, [], []],
    ['an empty list names nobody', [], [], []],
    ['objects are named by their id', [{ Id: 3 }, { Id: 'x' }], ['3', 'x'], []],
    [
      'bare ids are taken as they are',
      [3, '007', toJsonNumber('99999999999999999')],
      ['3', '007', '99999999999999999'],
      [],
    ],
    ['objects and bare ids may be mixed', [{ Id: 3 }, 4], ['3', '4'], []],
    ['a comma-separated text is split', '12, 13 ,14', ['12', '13', '14'], []],
    ['empty places in a comma-separated text are passed over', ',12,,13,', ['12', '13'], []],
    ['a bare long number is one reference', toJsonNumber('99999999999999999'), ['99999999999999999'], []],
    ['a text within a list is one id, commas included', ['1,2'], ['1,2'], []],
    ['repeats are dropped, the first place is kept', [2, 1, '2', { Id: 1 }], ['2', '1'], []],
    ['null and blank elements are passed over', [null, '', ' ', 5], ['5'], []],
    ['a boolean element is left out', [true, 5], ['5'], ['left_out']],
    ['a nested list is left out', [[1], 5], ['5'], ['left_out']],
    ['an object without id is left out', [{ Name: 'x' }, 5], ['5'], ['left_out']],
    ['an object whose id is no text is left out', [{ Id: { Id: 1 } }], [], ['left_out']],
    ['an object in place of a list is left out', { Id: 1 }, [], ['left_out']],
    ['an object with number keys is a list', { '0': 101, '2': 103 }, ['101', '103'], []],
    [
      'number keys are places in numeric order',
      { '10': 'c', '9': 'b', '010': 'd', '5000000000': 'e', '08': 'a' },
      ['a', 'b', 'c', 'd', 'e'],
      [],
    ],
    ['an element under a number key may be an object', { '0': { Id: 1 }, '7': 2 }, ['1', '2'], []],
    ['an object is no list if one of its keys is no whole number', { '0': 1, x: 2 }, [], ['left_out']],
    ['a negative key is no whole number', { '-1': 1 }, [], ['left_out']],
    ['an empty object is an empty list', {}, [], []],
    [
      'JSON in a text is a list, digits as written',
      ' [101,12345678901234567]\n',
      ['101', '12345678901234567'],
      [],
    ],
    ['JSON in a text may have objects', '[{"Id":101},{"Id":"x"}]', ['101', 'x'], []],
    ['JSON in a text may have number keys', '{"1":103,"0":101}', ['101', '103'], []],
    ['an empty list as text names nobody', '[]', [], []],
    ['an empty object as text names nobody', ' { } ', [], []],
    ['a text that only begins as a list is split', '[101,103', ['[101', '103'], []],
    ['an object as text is split', '{"Id":5}', ['{"Id":5}'], []],
    ['a cleaned JSON text is marked', '[1,\0 2]', ['1', '2'], ['unsupported_character']],
    ['true in place of a list is left out', true, [], ['left_out']],
    ['a cleaned id is marked', ['a\0b'], ['ab'], ['unsupported_character']],
  ])('%s', (_, value, ids, warnings) => {
    expect(readReferences(value, (element) => element.Id)).toEqual({ ids, warnings })
  })

  test('the caller of readReferences defines how the id of an element is read', () => {
    expect(readReferences([{ id: 1, Id: 2 }], (element) => element.id).ids).toEqual(['1'])
  })
})

describe('byte order', () => {
  test.each<[name: string, ids: readonly string[], sorted: readonly string[]]>([
    ['digits sort as text, not as numbers', ['9', '10', '1'], ['1', '10', '9']],
    ['capitals come before small letters', ['b', 'a', 'B'], ['B', 'a', 'b']],
  ])('%s', (_, ids, sorted) => {
    expect(inByteOrder(ids)).toEqual(sorted)
  })

  test('ids are sorted by their UTF-8 bytes [R70]', () => {
    const character = fc.constantFrom(
      'a',
      'z',
      '\u007f',
      '\u0080',
      'é',
      '\ud7ff',
      '\ue000',
      '\uff5e',
      '\u{10000}',
      '\u{10ffff}',
    )
    const id = fc.string({ unit: character, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(id), (ids) => {
        const byBytes = ids.map((each) => Buffer.from(each)).sort(Buffer.compare)
        expect(inByteOrder(ids).map((each) => Buffer.from(each))).toEqual(byBytes)
      }),
    )
  })
})
