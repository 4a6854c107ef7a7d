import { expect, test } from 'vitest'
import { guarded } from '../../../pipeline/commands/io.ts'
import { type LiveLines, liveLines } from '../../../pipeline/observe/live-lines.ts'
import { showProgress } from '../../../pipeline/observe/progress.ts'
import { STEPS, type Step } from '../../../pipeline/runtime/step.ts'
import { openTestIo } from './in-process.ts'

/** Makes a progress display that writes into memory and uses a clock of the test. */
function stage(isTerminal: boolean) {
  const written: string[] = []
  const clock = { ms: 0, tick: null as (() => void) | null }
  let shown: readonly string[] = []
  const live: LiveLines = {
    show(lines) {
      shown = lines
    },
    erase() {
      shown = []
    },
  }
  const progress = showProgress({ write: (text) => written.push(text) }, isTerminal ? live : null, {
    now: () => clock.ms,
    every(_, work) {
      clock.tick = work
      return () => {
        clock.tick = null
      }
    },
  })
  return { clock, progress, shown: () => shown, text: () => written.join('') }
}

const begun = (step: Step) =>
  ({ type: 'step begun', step, place: { number: STEPS.indexOf(step) + 1, of: STEPS.length } }) as const
const ended = (step: Step, ms: number, errorType: string | null = null) =>
  ({ type: 'step ended', step, ms, errorType }) as const
const read = (resource: string, records: number, bytes = 0, declared?: number) =>
  ({ type: 'read', resource, records, bytes, ...(declared !== undefined && { declared }) }) as const
const readingEnded = (resource: string, records: number, declared: number | null = null) => {
  const rest = { certified: true, requests: 2, attempts: 2, faults: 0, end: '', detail: '' }
  return { type: 'reading ended', resource, records, declared, ...rest } as const
}

test('a terminal shows the current step, and below it each resource with its rate and the part that has been read', () => {
  const { clock, progress, shown } = stage(true)
  progress.emit('summit', begun('extract'))
  expect(shown()).toEqual(['summit: [1/7] extract 0.0 s'])
  progress.emit('summit', read('users', 100))
  clock.ms = 2_000
  progress.emit('summit', read('users', 100, 0, 800))
  clock.ms = 4_000
  progress.emit('summit', read('sessions', 1))
  expect(shown()).toEqual([
    'summit: [1/7] extract 4.0 s',
    '  users     200 records, 50 records/s, 25 % of 800',
    '  sessions  1 record, 1000 records/s',
  ])
})

test('if a source declares fewer records than were read, no percentage is shown', () => {
  const { clock, progress, shown } = stage(true)
  progress.emit('summit', begun('extract'))
  progress.emit('summit', read('users', 100, 0, 50))
  clock.ms = 1_000
  progress.emit('summit', read('users', 100))
  expect(shown()[1]).toBe('  users  200 records, 200 records/s')
})

test('when a step ends, a line with its time remains; if a step is skipped, the other steps keep their numbers', () => {
  const { clock, progress, shown, text } = stage(true)
  progress.emit('summit', begun('extract'))
  progress.emit('summit', read('users', 210, 4_000_000))
  progress.emit('summit', ended('extract', 2_100))
  progress.emit('summit', begun('stage'))
  clock.ms = 60_000
  progress.emit('summit', ended('stage', 125_000))
  expect(text()).toBe(
    'summit: [1/7] extract 2.1 s: 210 records, 4.0 MB, 100 records/s\nsummit: [3/7] stage 2 min 5 s\n',
  )
  expect(shown()).toEqual([])
})

test('the line of a step that failed says so', () => {
  const { progress, text } = stage(true)
  progress.emit('summit', begun('extract'))
  progress.emit('summit', read('users', 210))
  progress.emit('summit', ended('extract', 100, 'ReadError'))
  expect(text()).toBe('summit: [1/7] extract 0.1 s, failed\n')
})

test('integrations that run at the same time are shown together, each with its own step', () => {
  const { progress, shown } = stage(true)
  progress.emit('summit', begun('extract'))
  progress.emit('expo', begun('apply'))
  expect(shown()).toEqual(['summit: [1/7] extract 0.0 s', 'expo: [6/7] apply 0.0 s'])
  progress.emit('summit', ended('extract', 100))
  expect(shown()).toEqual(['expo: [6/7] apply 0.0 s'])
})

test('the shown time of a step increases even if nothing happens, and stops when no step is running', () => {
  const { clock, progress, shown } = stage(true)
  progress.emit('summit', begun('stage'))
  clock.ms = 3_000
  clock.tick?.()
  expect(shown()).toEqual(['summit: [3/7] stage 3.0 s'])
  progress.emit('summit', { type: 'done' })
  expect(clock.tick).toBeNull()
})

test('without a terminal, no step and no number of records is written', () => {
  const { clock, progress, text } = stage(false)
  progress.emit('summit', begun('extract'))
  for (clock.ms = 0; clock.ms <= 10_000; clock.ms += 100) progress.emit('summit', read('users', 10))
  progress.emit('summit', ended('extract', 10_000))
  progress.emit('summit', { type: 'done' })
  expect(text()).toBe('')
  expect(clock.tick).toBeNull()
})

test.each([true, false])(
  'a wait is written with its request, its cause and its length (terminal: %s)',
  (is) => {
    const { progress, text } = stage(is)
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
  },
)

test('pages that repeat a record, or that are read again, do not increase the number of read records', () => {
  const { progress, text } = stage(true)
  progress.emit('summit', begun('extract'))
  for (const records of [100, 100]) progress.emit('summit', read('users', records, 1_000))
  progress.emit('summit', readingEnded('users', 150))
  progress.emit('summit', ended('extract', 1_000))
  expect(text()).toBe('summit: [1/7] extract 1.0 s: 150 records, 0.0 MB, 150 records/s\n')
})

test('the shown percentage includes what an interrupted run had read, but the shown rate does not', () => {
  const { clock, progress, shown } = stage(true)
  progress.emit('summit', begun('extract'))
  const savedAt = '2031-05-01T06:00:00Z'
  progress.emit('summit', { type: 'reading resumed', resource: 'users', records: 900, savedAt })
  clock.ms = 1_000
  progress.emit('summit', read('users', 50, 0, 1_000))
  expect(shown()[1]).toBe('  users  950 records, 50 records/s, 95 % of 1000')
  progress.emit('summit', readingEnded('users', 1_000, 1_000))
  clock.ms = 2_000
  clock.tick?.()
  expect(shown()[1]).toBe('  users  1000 records, 100 records/s, 100 % of 1000')
})

test('lines that are rewritten are erased first, and are cut to the size of the terminal', () => {
  const written: string[] = []
  const live = liveLines({ columns: 10, rows: 3, write: (text) => written.push(text) })
  live.show(['a step of a run', 'users\u001b[2J', 'sessions'])
  expect(written.splice(0)).toEqual(['a step of\nusers\\u00\n'])
  live.show(['short'])
  expect(written.splice(0)).toEqual(['\r\x1b[2A\x1b[Jshort\n'])
  live.erase()
  live.erase()
  expect(written).toEqual(['\r\x1b[1A\x1b[J'])
})

test('lines that are rewritten are erased before the command prints anything else', () => {
  const bare = openTestIo({ isTerminal: true })
  const io = guarded(bare)
  io.live?.show(['summit: [1/7] extract'])
  io.stdout.write('a result\n')
  expect(bare.output).toEqual({
    stdout: 'a result\n',
    stderr: 'summit: [1/7] extract\n\r\u001b[1A\u001b[J',
  })
  expect(guarded(openTestIo()).live).toBeUndefined()
})
