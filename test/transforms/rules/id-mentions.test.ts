import { expect, test } from 'vitest'
import { makeIdReplacement } from '../../../transforms/rules/people.ts'

const replaced = makeIdReplacement(
  new Map([
    ['12', 'T'],
    ['ab-1', 'U'],
    ['ab-1-x', 'V'],
    ["o'n/1", 'W'],
  ]),
)

test.each([
  ['the whole of a text', '12', 'T'],
  ['the whole of a text with blanks around it', ' 12 ', 'T'],
  ['a word within a text', 'by 12, and (12)', 'by T, and (T)'],
  ['one of a list', '11,12,13', '11,T,13'],
  [
    'a place to go on, as a source names it',
    "https://a.example/Users?$skiptoken=Id-'12'&$top=3",
    "https://a.example/Users?$skiptoken=Id-'T'&$top=3",
  ],
  ['a place to go on, escaped', '?$skiptoken=Id-%2712%27', '?$skiptoken=Id-%27T%27'],
  ['behind a name', 'Users(12) Id-12 id=12', 'Users(T) Id-T id=T'],
  ['the longer of two', 'ab-1-x ab-1', 'V U'],
  ['as it is in an address', "/users/o'n%2F1?x=o'n/1", '/users/W?x=W'],
])('a known id is found in the text: %s', (_, text, expected) => {
  expect(replaced(text)).toBe(expected)
})

test.each([
  '1123',
  'x12',
  '12x',
  'é12',
  'a_12',
  '12_a',
  '2031-05-12',
  '2031-12-05T10:12:00',
  '12:30',
  '3.12',
  '12.5',
  '%12',
  'ab-11',
  'u-12',
  '12-u',
  'day-12-2',
  'AB-1',
])('a known id is not found within another word, number or time: %s', (text) => {
  expect(replaced(text)).toBe(text)
})

test('known ids are replaced in numbers, keys, lists and objects; a number is replaced only as a whole', () => {
  const raw = JSON.rawJSON('12.5')
  expect(replaced({ a: [12, 1123, raw, true, null], 12: { 'key of 12': '12' } })).toEqual({
    a: ['T', 1123, raw, true, null],
    T: { 'key of T': 'T' },
  })
})

test('if no ids are known, no text is replaced', () => {
  expect(makeIdReplacement(new Map())('12')).toBe('12')
})

test('texts that are to be kept do not change', () => {
  const keeping = makeIdReplacement(new Map([['12', 'T']]), new Set(['Room 12']))
  expect(keeping(['Room 12', ' Room 12 ', 'by 12', '12'])).toEqual(['Room 12', ' Room 12 ', 'by T', 'T'])
})
