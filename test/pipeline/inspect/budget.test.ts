import { expect, test } from 'vitest'
import { budgetFor } from '../../../pipeline/commands/check.ts'
import { openTestIo } from '../commands/in-process.ts'
import { check, serve, sourceA } from './check-one.ts'

// The first wait takes 0.25 s, and each further wait takes twice as long, up to 15 s. Six waits take 15.75 s,
// and a seventh would exceed 30 s. Six waits plus 18 waits of 15 s fit into 300 s.
test.each([
  [30, 7],
  [300, 25],
])('check tries a source that stops answering again for %i seconds', async (budgetSeconds, tries) => {
  let users = 0
  const url = await serve(({ url: path = '' }, response) => {
    const isUsers = path.includes('/Users')
    users += isUsers ? 1 : 0
    response.writeHead(isUsers ? 503 : 200).end('[]')
  })
  const checked = await check(sourceA(url), {}, {}, { budgetSeconds })
  expect([users, checked.rule('users').status]).toEqual([tries, 'not checkable'])
  expect(checked.rule('reachable')).toMatchObject({ status: 'failed', seen: 'answered 503' })
})

test.each<[what: string, stdin: boolean, stderr: boolean, input: boolean, ofRun: number, seconds: number]>([
  ['a person at a terminal', true, true, true, 300, 30],
  ['a person at a terminal, if a run waits for less', true, true, true, 5, 5],
  ['a person who says --no-input', true, true, false, 300, 300],
  ['a scheduler', false, false, true, 300, 300],
  ['a pipe', false, true, true, 300, 300],
  ['a log file', true, false, true, 300, 300],
])('a check retries for the right time: %s', (_, stdin, stderr, input, ofRun, seconds) => {
  const io = openTestIo()
  const [given, told] = [
    Object.assign(io.stdin, { isTTY: stdin }),
    Object.assign(io.stderr, { isTTY: stderr }),
  ]
  expect(budgetFor({ stdin: given, stderr: told }, input, ofRun)).toBe(seconds)
})
