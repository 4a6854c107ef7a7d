import { expect, test } from 'vitest'
import { notRun } from '../../../pipeline/runtime/report.ts'
import { jsonLog, textLog } from '../../../pipeline/worker/work.ts'

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

test('if an integration was renamed, the log line of its job says what happens to the job', () => {
  const lines: string[] = []
  const log = textLog(
    (line) => lines.push(line),
    () => 0,
  )
  const job = { integrationId: 'summit', id: '1', retryCount: 0, isByHand: false }
  const ended = { reports: [], code: 64, result: 'left', leftAs: 'autumn' } as const
  log.ended(job, { ...ended, error: null })
  log.ended(job, { ...ended, error: 'summit was renamed; restart' })
  expect(lines).toEqual([
    '1970-01-01T00:00:00.000Z summit: was renamed to autumn; put back in the queue under this id\n',
    '1970-01-01T00:00:00.000Z summit: summit was renamed; restart\n',
  ])
})

test('if a run sends nothing because its integration is pinned, its log line says that', () => {
  const lines: string[] = []
  const pinned = { since: '2031-05-01T06:00:00.000Z', until: null, reason: 'rooms move' }
  const { error: _, ...report } = notRun('summit', 'failed', '')
  textLog(
    (line) => lines.push(line),
    () => 0,
  ).ended(
    { integrationId: 'summit', id: '1', retryCount: 0, isByHand: false },
    { reports: [{ ...report, status: 'planned', pinned }], code: 0, result: 'done', error: null },
  )
  expect(lines).toEqual([
    '1970-01-01T00:00:00.000Z summit: planned, pinned since 2031-05-01T06:00:00Z: rooms move\n',
  ])
})

test('in JSON, a line that asks for action has the level of a warning', () => {
  const lines: string[] = []
  const log = jsonLog('warn', { write: (line) => void lines.push(line) }, () => 0)
  log.note('the configuration was read again')
  log.warn('the changed configuration is not used')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', msg: 'the changed configuration is not used' }),
  ])
})
