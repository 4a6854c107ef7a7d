import { expect, test } from 'vitest'
import type { Paint } from '../../../pipeline/commands/colours.ts'
import { describeReport } from '../../../pipeline/commands/print-report.ts'
import { endOf } from '../../../pipeline/observe/outcome.ts'
import { duration } from '../../../pipeline/runtime/duration.ts'
import {
  exitCodeOf,
  missingOf,
  type ReportStatus,
  type RunReport,
  worst,
} from '../../../pipeline/runtime/report.ts'
import { NOTHING_MISSED } from '../../../transforms/history/misses.ts'

const nothing = { create: 0, update: 0, remove: 0, unchanged: 3 }
const unchanged = { agenda: nothing, speakers: nothing, attendees: nothing }

function report(status: ReportStatus, more: Partial<RunReport> = {}): RunReport {
  return {
    integration: 'summit',
    run: null,
    status,
    planHash: null,
    changes: unchanged,
    excluded: {},
    quarantined: 0,
    certified: true,
    held: null,
    pinned: null,
    output: null,
    page: null,
    ...more,
  }
}

const change = { changes: { ...unchanged, speakers: { ...nothing, remove: 1 } } }
const unread = { certified: false }
const held = { held: { guard: 'removals', detail: '' } }
const pinned = {
  pinned: { since: '2031-05-01T06:00:00.000Z', until: null, reason: null },
  command: 'run',
} as const

test.each([
  ['everything was applied', report('finished', change), 0],
  ['a plan without changes', report('planned'), 0],
  ['a plan with changes', report('planned', change), 2],
  ['a plan with changes after a read that was not certified', report('planned', { ...change, ...unread }), 3],
  ['finished, a read was not certified', report('finished', unread), 3],
  ['as many quarantined as allowed', report('finished', { quarantined: 2 }), 0],
  ['more quarantined than allowed', report('finished', { quarantined: 3 }), 3],
  ['finished without the removals that a guard held', report('finished', { ...change, ...held }), 4],
  [
    'finished after the approval of a held plan',
    report('finished', { ...change, ...held, approved: true }),
    0,
  ],
  ['held, and a read was not certified', report('held', unread), 4],
  ['a run of a pinned integration, with changes', report('planned', { ...change, ...pinned }), 0],
  [
    'a run of a pinned integration, held and not certified',
    report('held', { ...held, ...unread, ...pinned }),
    0,
  ],
  ['a run of a pinned integration that failed', report('failed', pinned), 1],
  ['a plan of a pinned integration', report('planned', { ...change, ...pinned, command: 'plan' }), 2],
  ['a plan that is not current', report('stale', unread), 4],
  ['failed before anything was read', report('failed', unread), 1],
  ['locked by another run', report('locked', unread), 5],
  ['wrong configuration', report('refused', unread), 64],
])('the exit code follows from the report: %s', (_what, outcome, code) => {
  expect(exitCodeOf(outcome, 2)).toBe(code)
})

test.each([
  [unread, 'a read was not proved complete'],
  [{ quarantined: 3 }, '`event-sync quarantine summit` lists them'],
  [{ failed: 1 }, 'see load_results.csv'],
  [
    { missed: { users: NOTHING_MISSED, sessions: NOTHING_MISSED } },
    'reading by changes missed records of users, sessions: every run now reads in full',
  ],
])('the report of an incomplete run says what is missing and what to do: %j', (more, todo) => {
  expect(missingOf(report('finished', more), 2)).toEqual([expect.stringContaining(todo)])
})

test('the exit code of several runs is the first of 1, 64, 4, 3, 5, 2, 0 that occurs [spec 7 p1]', () => {
  const order = [1, 64, 4, 3, 5, 2, 0]
  for (const [index, code] of order.entries()) {
    expect(worst(order.slice(index).toReversed())).toBe(code)
  }
  expect(worst([])).toBe(0)
})

test('if a guard holds one content, the report of the held plan says which other contents are held with it', () => {
  const changes = { ...change.changes, agenda: { ...nothing, update: 2 } }
  expect(describeReport(report('held', { changes, ...held }))).toContain(
    '\n  agenda and speakers are held together, ',
  )
  expect(describeReport(report('held', { ...change, ...held }))).not.toContain('held together')
  expect(describeReport(report('finished', { changes, ...held }))).not.toContain('held together')
})

test.each([
  [
    1,
    '1 item stays on the platform but would not be synced now; why: event-sync explain summit CONTENT UNIQUE_ID',
  ],
  [
    5,
    '5 items stay on the platform but would not be synced now; why: event-sync explain summit CONTENT UNIQUE_ID',
  ],
])('if %d items are kept, the report names the command that shows why', (kept, text) => {
  expect(describeReport(report('finished', { kept }))).toContain(`  kept       ${text}\n`)
  expect(describeReport(report('finished', { kept: 0 }))).not.toContain('kept')
})

test('the report of a held run says how to look at the plan, then how to approve it, then how to reject it', () => {
  const lines = describeReport(report('held', { ...change, ...held, run: 'RUN', planHash: 'HASH' })).split(
    '\n',
  )
  const at = lines.indexOf('  look at it with: event-sync show RUN')
  expect(at).toBeGreaterThan(0)
  expect(lines.slice(at + 1, at + 3)).toEqual([
    '  apply it with: event-sync apply summit HASH',
    '  if it is wrong: correct the source, then `event-sync run summit`',
  ])
})

test('if a held plan changes several contents, the report says that they are held together', () => {
  const one = { ...nothing, update: 1 }
  const changes = { agenda: one, speakers: one, attendees: one }
  expect(describeReport(report('held', { changes, ...held }))).toContain(
    '\n  agenda, speakers and attendees are held together, because their items refer to each other\n',
  )
})

test.each([
  ['held', 'held'],
  ['stale', 'no longer current'],
] as const)('exit code 4 of a run with status %s means: %s', (status, meaning) => {
  const integration = { id: 'summit', guards: { maxQuarantined: 0 } } as Parameters<typeof endOf>[1]
  expect(endOf(report(status), integration)).toMatchObject({ exitCode: 4, meaning })
})

const paint: Paint = (colour, text) => `<${colour}>${text}</>`

test.each([
  ['finished', change, 'green', 'applied, 1 change'],
  ['finished', { ...change, failed: 1 }, 'yellow', 'applied, 0 of 1 change; 1 rejected'],
  ['finished', unread, 'yellow', 'applied, nothing to change; a read was not proved complete'],
  [
    'held',
    { ...change, ...held },
    'yellow',
    'held, 1 change; nothing was sent: 1 of 4 speakers would disappear from the app',
  ],
  ['locked', { error: 'it is locked' }, 'yellow', 'it is locked'],
  ['failed', { error: 'the source is away\nplatform untouched' }, 'red', 'the source is away'],
  ['refused', { error: 'the key is missing' }, 'red', 'the key is missing'],
] as const)(
  'the first line of a report has a colour that depends on its status: %s %j is %s',
  (status, more, colour, text) => {
    const [first] = describeReport(report(status, more), true, paint).split('\n')
    expect(first).toBe(`summit: <${colour}>${text}</>`)
  },
)

test('a report says how long each step took, and how long all steps took together', () => {
  const steps = [
    { step: 'extract', ms: 61_000 },
    { step: 'stage', ms: 349 },
  ] as const
  const text = describeReport(report('finished', { steps }))
  expect(text).toContain('\n  time       extract 1 min 1 s, stage 0.3 s, 1 min 1 s in all\n')
  expect(describeReport(report('finished'))).not.toContain('time')
})

test.each([
  [0, '0.0 s'],
  [59_949, '59.9 s'],
  [59_950, '1 min 0 s'],
  [3_599_499, '59 min 59 s'],
  [3_599_500, '1 h 0 min'],
])('a duration of %d ms is written as %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

test.each([
  [{}, 'applied, 4 changes'],
  [{ failed: 2 }, 'applied, 2 of 4 changes; 2 rejected'],
  [{ failed: 2, withheld: 1 }, 'applied, 1 of 4 changes; 2 rejected, 1 withheld'],
])('the first line counts applied, rejected and withheld changes: %o', (more, text) => {
  const changes = { ...change.changes, agenda: { ...nothing, update: 3 } }
  expect(describeReport(report('finished', { changes, ...more }))).toContain(`summit: ${text}\n`)
})
