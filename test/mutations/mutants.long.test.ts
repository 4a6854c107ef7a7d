import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { allMutants, FOLDERS, mutantsOf } from './mutants.ts'

const mutants = allMutants(join(import.meta.dirname, '../..'))

test.each<[name: string, from: string, to: string]>([
  ['a condition of a query is dropped', `q.where('a', '=', b)`, `q`],
  ['a condition of a join is dropped', `join.onRef('a', '=', 'b')`, `join`],
  ['an outer join becomes an inner one', `q.leftJoin('a')`, `q.innerJoin('a')`],
  ['a comparison in a query is another', `eb('a', 'is', null)`, `eb('a', 'is not', null)`],
  ['a reason is dropped', `c.when(a).then('b').when(d).then('e')`, `c.when(a).then('b')`],
  ['connectives of a query are swapped', `eb.and([a])`, `eb.or([a])`],
  ['a comparison in SQL is another', 'sql`a = b`', 'sql`a <> b`'],
  ['a test for null in SQL is turned', 'sql`a is null`', 'sql`a is not null`'],
  ['an order in SQL is turned', 'sql`x order by a.b\n`', 'sql`x order by a.b desc\n`'],
  ['columns in SQL are swapped', 'sql`f(a.b, a.c)`', 'sql`f(a.c, a.b)`'],
  ['an alias is of another column', `q.select(['a.b', 'a.c as d'])`, `q.select(['a.b', 'a.b as d'])`],
  ['a limit is moved', 'if (a < b) c()', 'if (a <= b) c()'],
  ['half of a condition counts', 'x = a && b', 'x = (b)'],
  ['a check is passed over', 'if (a) f()', 'if (false) f()'],
  ['what must happen does not', 'await f()', '{}'],
  ['fields are swapped', 'x = { a: b, c: d }', 'x = { a: d, c: b }'],
  ['an element of a list is dropped', 'x = [a, b]', 'x = [b]'],
  ['an order of names is turned', `x = ['a', 'b']`, `x = ['b', 'a']`],
  ['a member of a class is dropped', 'x = /[ab]/', 'x = /[b]/'],
  ['a repetition is dropped', 'x = /ab?/', 'x = /ab/'],
  ['a constant is one less', 'const LEAST = 20', 'const LEAST = 19'],
])('%s', (_, from, to) => {
  expect(mutantsOf('a.ts', from).map(({ text }) => text)).toContain(to)
})

test.each<[name: string, text: string]>([
  ['types', `interface A { readonly a: true }`],
  ['messages of errors', 'throw new Error(a ? b : c)'],
  ['headers of loops', 'while (a < b) c = d'],
])('%s are left alone', (_, text) => {
  expect(mutantsOf('a.ts', text)).toEqual([])
})

test.each(FOLDERS)('at least one mutant is made for the code in %s', (folder) => {
  expect(mutants.filter(({ file }) => dirname(file) === folder).length).toBeGreaterThan(0)
})

test('each mutant is valid code, differs from the original file, and has a key of its own', () => {
  for (const { key, file, from, to, text } of mutants) {
    expect(from, key).not.toBe(to)
    expect(parseSync(file, text).errors, key).toEqual([])
  }
  expect(new Set(mutants.map(({ key }) => key)).size).toBe(mutants.length)
  expect(mutants.length).toBeGreaterThan(3000)
})
