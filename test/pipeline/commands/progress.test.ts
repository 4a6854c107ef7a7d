import { expect, test } from 'vitest'
import { showProgress } from '../../../pipeline/progress.ts'

/** A place to write to and a clock that a test moves. */
function stage(terminal: { readonly isTTY: boolean; readonly columns?: number }) {
  const written: string[] = []
  const clock = { ms: 0 }
  const progress = showProgress({ ...terminal, write: (text) => written.push(text) }, () => clock.ms)
  return { written, clock, progress, text: () => written.join('') }
}

test('a terminal gets one line that is rewritten, cut to its width, and gone before the next full line', () => {
  const { written, clock, progress } = stage({ isTTY: true, columns: 60 })
  progress.step('summit', 'extract')
  progress.read('summit', 'users', 100, 2_000_000)
  expect(written).toEqual([])
  clock.ms = 1_000
  progress.read('summit', 'users', 100, 2_000_000)
  progress.read('summit', 'sessions', 5, 100)
  expect(written).toEqual([
    '\r\x1b[Ksummit: extract: users 200 records, 4.0 MB, 200 records/s'.slice(0, 4 + 59),
  ])
  clock.ms = 1_100
  progress.read('summit', 'sessions', 5, 100)
  expect(written[1]).toHaveLength(4 + 59)
  expect(written[1]?.slice(4)).not.toContain('\n')
  progress.step('summit', 'stage')
  expect(written.slice(2).join('')).toBe(
    '\r\x1b[Ksummit: extract: 210 records, 4.0 MB, 191 records/s\nsummit: stage\n',
  )
})

test('elsewhere there are plain lines without control characters, at most one in five seconds while reading', () => {
  const { clock, progress, text } = stage({ isTTY: false })
  progress.step('summit', 'extract')
  for (clock.ms = 0; clock.ms <= 10_000; clock.ms += 100) progress.read('summit', 'users', 10, 1_000)
  progress.step('summit', 'stage')
  progress.done('summit')
  expect(text()).toBe(
    [
      'summit: extract: users 510 records, 0.1 MB, 102 records/s',
      'summit: extract: users 1010 records, 0.1 MB, 101 records/s',
      'summit: extract: 1010 records, 0.1 MB, 100 records/s',
      'summit: stage',
      '',
    ].join('\n'),
  )
})

test('a wait says for what, why and how long', () => {
  const { progress, text } = stage({ isTTY: false })
  progress.wait('summit', {
    what: 'users, page 2',
    cause: 'answered 503',
    waitMs: 1_500,
    host: 'source-a.example',
    status: 503,
    isRetry: true,
  })
  expect(text()).toBe('summit: users, page 2: answered 503; asking again in 1.5 s\n')
})

test('what a read that failed had counted is not told of the next integration', () => {
  const { clock, progress, text } = stage({ isTTY: false })
  progress.step('bad', 'extract')
  progress.read('bad', 'users', 77, 1_000)
  progress.done('bad')
  progress.step('good', 'extract')
  clock.ms = 1_000
  progress.read('good', 'users', 5, 1_000)
  progress.step('good', 'stage')
  progress.done('good')
  expect(text()).toMatch(/^good: extract: 5 records, .*\ngood: stage\n$/)
})
