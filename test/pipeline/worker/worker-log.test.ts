import { expect, test } from 'vitest'
import { textLog } from '../../../pipeline/worker/work.ts'

test.each([
  ['an error', new Error('no route'), 'no route'],
  ['the first of several', new AggregateError([new Error('no route')]), 'no route'],
  ['an object with a message', { message: 'slow query', elapsed: 31 }, 'slow query'],
  ['an object without a message', { code: 'ECONNRESET' }, '{"code":"ECONNRESET"}'],
  ['a text', 'gone', 'gone'],
  ['several lines, joined to one', new Error('no route\nasked twice'), 'no route; asked twice'],
])('a failure of the worker is logged in words: %s', (_, trouble, words) => {
  const lines: string[] = []
  textLog(
    (line) => lines.push(line),
    () => 0,
  ).trouble('keep the queue', trouble)
  expect(lines).toEqual([`1970-01-01T00:00:00.000Z cannot keep the queue: ${words}; retrying\n`])
})
