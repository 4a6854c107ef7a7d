import { expect, test } from 'vitest'
import { cutObjects } from '../../../pipeline/extract/resource/whole-objects.ts'

const LEVELS = 3

test.each([
  ['one object', '{"a":1}]', [{ a: 1 }], 'null ]', ''],
  [
    'an object after another element',
    ', {"a":"}"} ,{"b":[{}]}]}',
    [{ a: '}' }, { b: [{}] }],
    ', null  ,null ]}',
    '',
  ],
  ['an object that has only begun', '{"a":1},{"b":"\\"}', [{ a: 1 }], 'null ,', '{"b":"\\"}'],
  ['an object that ends within an escape', '{"a":1},{"b":"\\', [{ a: 1 }], 'null ,', '{"b":"\\'],
  ['nothing', '', [], '', ''],
  ['the end of the list', ']', [], ']', ''],
  ['an element that is not an object', '{"a":1},2,{"b":3}', [{ a: 1 }], 'null ,2,{"b":3}', ''],
  ['escapes in texts', String.raw`{"a":"\"\\","b":"\u0041"},`, [{ a: '"\\', b: 'A' }], 'null ,', ''],
  [
    'whole numbers of 15 digits',
    '{"a":[0,-7,123456789012345]},',
    [{ a: [0, -7, 123456789012345] }],
    'null ,',
    '',
  ],
  ['digits in texts', '{"a":"1.0, 12345678901234567"}', [{ a: '1.0, 12345678901234567' }], 'null ', ''],
  ['literals', '{"a":[true,false,null]}', [{ a: [true, false, null] }], 'null ', ''],
])('whole objects are cut out of a list: %s', (_, list, objects, text, begun) => {
  expect(cutObjects(list, LEVELS)).toEqual({ objects, text, begun })
})

test.each([
  ['an escape in a key', String.raw`{"\"":1}`],
  ['an escape in a key before a blank', String.raw`{"\\" : 1}`],
  ['a fraction', '{"a":1.0}'],
  ['an exponent', '{"a":1e3}'],
  ['an exponent in capitals', '{"a":1E3}'],
  ['a number of 16 digits', '{"a":1234567890123456}'],
  ['minus zero', '{"a":-0}'],
  ['too many levels', '{"a":[{"b":[]}]}'],
  ['a list that a brace closes', '{"a":[1}}'],
  ['a control character', '{"a":"\n"}'],
  ['no value', '{"a":}'],
])('an object that JSON.parse may read in another way stays in the text: %s', (_, object) => {
  const list = `{"id":1},${object},{"id":2},`
  expect(cutObjects(list, LEVELS)).toEqual({
    objects: [{ id: 1 }, { id: 2 }],
    text: `null ,${object},null ,`,
    begun: '',
  })
})

test('the beginning of a long object stays in the text, so that a long text is not read again with each chunk', () => {
  const begun = `{"a":"${'x'.repeat(20_000)}`
  expect(cutObjects(begun, LEVELS)).toEqual({ objects: [], text: begun, begun: '' })
})
