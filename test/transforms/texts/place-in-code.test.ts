import { expect, test } from 'vitest'
import { placeInCode } from '../../../transforms/texts/place-in-code.ts'

test.each([
  [
    'Error: Ada\n    at rule (file:///x/agenda.ts?0af3:7:12)\n    at file:///x/other.ts:9:1',
    ' in agenda.ts, line 7',
  ],
  ['Error: Ada\n    at async C:\\x\\my-source.mjs:7:12', ' in my-source.mjs, line 7'],
  ['Error: Ada\n    at z (file:///x/node_modules/zod/z.js:1:1)\n    at /x/a.ts:2:3', ' in a.ts, line 2'],
  [
    '/x/agenda.ts:3\nconst = Ada\n    ^\n\nSyntaxError: Ada\n    at file:///x/b.ts:9:1',
    ' in agenda.ts, line 3',
  ],
  ['Error: Ada\n    at new Promise (<anonymous>)\n    at node:internal/url:816:25', ''],
  ['', ''],
])('the file and line of an error are taken from its stack: %j', (stack, place) => {
  expect(placeInCode(Object.assign(new Error('Ada'), { stack }))).toBe(place)
})

test('a place in the message of an error is not read, because the message may contain personal data', () => {
  const error = new Error('cannot read\n    at lovelace.ts:1:1')
  expect(placeInCode(error)).toMatch(/^ in place-in-code\.test\.ts, line \d+$/)
})

test('a value that is not an error has no place', () => {
  expect(placeInCode('Ada')).toBe('')
})
