import { expect, test } from 'vitest'
import { findChecks, headOf } from '../../../pipeline/run/sql-checks.ts'

const HEAD = '-- promise: A.\n-- rows mean: B.\n-- to do: C.\n-- grain: run\n-- made with: plan\n'

test('the comment lines at the top of an SQL check are read as its keys', () => {
  expect(headOf('one', `${HEAD}select 1`)).toEqual({ promise: 'A.', rowsMean: 'B.', todo: 'C.', of: 'plan' })
})

test.each([
  ['a key that is misspelt', ['made with', 'made wiht'], /one\.sql: .*"made wiht"/],
  ['an unknown value', ['plan', 'plans'], /"decisions"\|"plan"[\s\S]*at \["made with"\]|made with/],
  ['a key that is missing', ['-- grain: run\n', ''], /grain/],
  ['a line that is not a key', ['-- to do', '-- and'], /to do/],
])('%s in the first lines of an SQL check is refused', (_, [from = '', to = ''], message) => {
  expect(() => headOf('one', HEAD.replace(from, to))).toThrow(message)
})

test('every SQL check of the product has valid keys', () => {
  expect(findChecks('before-apply').length).toBeGreaterThan(5)
  expect(findChecks('after-apply').length).toBeGreaterThan(3)
})
