import { expect, test } from 'vitest'
import { showProgress } from '../../../pipeline/observe/progress.ts'

/** Makes a progress display that writes to memory, with a clock that the test sets. */
function stage(terminal: { readonly isTTY: boolean; readonly columns?: number }) {
  const written: string[] = []
  const clock = { ms: 0 }
  const progress = showProgress({ ...terminal, write: (text) => written.push(text) }, () => clock.ms)
  return { written, clock, progress, text: () => written.join('') }
}

const read = (resource: string, records: number, bytes: number) =>
  ({ type: 'read', resource, records, bytes }) as const

test('a terminal gets one progress line that is rewritten, cut to the width, and erased at the end of a step', () => {
  const { written, clock, progress } = stage({ isTTY: true, columns: 60 })
  progress.emit('summit', { type: 'step begun', step: 'extract' })
  progress.emit('summit', read('users', 100, 2_000_000))
  expect(written).toEqual([])
  clock.ms = 1_000
  progress.emit('summit', read('users', 100, 2_000_000))
  progress.emit('summit', read('sessions', 5, 100))
  const [sequence, line] = written
  expect([sequence, line]).toEqual([
    '\r\x1b[K',
    'summit: extract: users 200 records, 4.0 MB, 200 records/s'.slice(0, 59),
  ])
  clock.ms = 1_100
  progress.emit('summit', read('sessions', 5, 100))
  expect(written[3]).toHaveLength(59)
  expect(written[3]).not.toContain('\n')
  progress.emit('summit', { type: 'step begun', step: 'stage' })
  expect(written.slice(4).join('')).toBe(
    '\r\x1b[Ksummit: extract: 210 records, 4.0 MB, 191 records/s\nsummit: stage\n',
  )
})

test('without a terminal there are plain lines, at most one in five seconds during a read', () => {
  const { clock, progress, text } = stage({ isTTY: false })
  progress.emit('summit', { type: 'step begun', step: 'extract' })
  for (clock.ms = 0; clock.ms <= 10_000; clock.ms += 100) progress.emit('summit', read('users', 10, 1_000))
  progress.emit('summit', { type: 'step begun', step: 'stage' })
  progress.emit('summit', { type: 'done' })
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

test('a wait is shown with its request, its cause and its length', () => {
  const { progress, text } = stage({ isTTY: false })
  progress.emit('summit', {
    type: 'wait',
    what: 'users, page 2',
    cause: 'answered 503',
    waitMs: 1_500,
    host: 'source-a.example',
    status: 503,
    isRetry: true,
  })
  progress.emit('summit', {
    type: 'wait',
    what: 'users, page 3',
    cause: 'the source allows no more requests for now',
    waitMs: 2_000,
    host: 'source-a.example',
    status: null,
    isRetry: false,
  })
  expect(text()).toBe(
    'summit: users, page 2: answered 503; retrying in 1.5 s\nsummit: users, page 3: the source allows no more requests for now; going on in 2.0 s\n',
  )
})

test('each record counts once, even if pages repeat the record or are read again', () => {
  const { clock, progress, text } = stage({ isTTY: false })
  progress.emit('summit', { type: 'step begun', step: 'extract' })
  for (const records of [100, 100]) progress.emit('summit', read('users', records, 1_000))
  clock.ms = 1_000
  const ended = { certified: true, requests: 2, attempts: 2, faults: 0, declared: null, end: '', detail: '' }
  progress.emit('summit', { type: 'reading ended', resource: 'users', records: 150, ...ended })
  progress.emit('summit', { type: 'step begun', step: 'stage' })
  expect(text()).toContain('summit: extract: 150 records, 0.0 MB, 150 records/s\n')
})

test('the count of a failed read is not added to the count of the next integration', () => {
  const { clock, progress, text } = stage({ isTTY: false })
  progress.emit('bad', { type: 'step begun', step: 'extract' })
  progress.emit('bad', read('users', 77, 1_000))
  progress.emit('bad', { type: 'done' })
  progress.emit('good', { type: 'step begun', step: 'extract' })
  clock.ms = 1_000
  progress.emit('good', read('users', 5, 1_000))
  progress.emit('good', { type: 'step begun', step: 'stage' })
  progress.emit('good', { type: 'done' })
  expect(text()).toMatch(/^good: extract: 5 records, .*\ngood: stage\n$/)
})
