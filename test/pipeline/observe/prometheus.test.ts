import parse from 'parse-prometheus-text-format'
import { expect, test } from 'vitest'
import { STATES_BY_NEED } from '../../../pipeline/inspect/state.ts'
import { labelsOf, METRICS, type MetricName, prometheusName } from '../../../pipeline/observe/metric-list.ts'
import { openPrometheus, type StoredFigures } from '../../../pipeline/observe/prometheus.ts'
import { EXIT, NO_CHANGES, notRun, type RunReport } from '../../../pipeline/runtime/report.ts'
import { samplesOf, valueIn } from './scraped.ts'

const NOTHING: StoredFigures = { integrations: [], jobs: { waiting: 0, oldestWaitSeconds: 0 } }

const finished: RunReport = {
  ...notRun('summit', 'failed', ''),
  run: 'r',
  status: 'finished',
  certified: true,
}

/** Opens the metrics of a process with the integrations `summit` and `expo`, whose clock is set by `at`. */
function open(read: () => StoredFigures = () => NOTHING) {
  let nowMs = 0
  const opened = openPrometheus(
    () => ['summit', 'expo'],
    STATES_BY_NEED,
    () => nowMs,
    async () => read(),
  )
  const { emit } = opened.listener
  return {
    text: opened.text,
    emit,
    at(ms: number) {
      nowMs = ms
    },
    end(exitCode: number, report: Partial<RunReport> = {}) {
      emit('summit', {
        type: 'run ended',
        report: { ...finished, ...report },
        exitCode,
        meaning: '',
        todo: '',
      })
    },
  }
}

test('a parser of the text format finds each metric, with its kind, its help and no other label than those of the list', async () => {
  const { emit, end, text } = open(() => ({
    integrations: [{ integration: 'summit', state: 'held', secondsSinceSuccess: 3 }],
    jobs: { waiting: 2, oldestWaitSeconds: 7.5 },
  }))
  emit('summit', { type: 'step ended', step: 'extract', ms: 1500, errorType: 'ReadError' })
  emit('summit', { type: 'read', resource: 'users', records: 3, bytes: 100 })
  const exchange = {
    method: 'GET',
    host: 'source.example',
    port: 443,
    resource: 'users',
    status: 503,
    ms: 20,
  } as const
  emit('summit', { type: 'request', ...exchange })
  emit('summit', {
    type: 'wait',
    what: 'users, page 1',
    cause: 'answered 503',
    waitMs: 1000,
    host: 'source.example',
    status: 503,
    isRetry: true,
  })
  emit('summit', {
    type: 'planned',
    planHash: 'h',
    records: { users: 3 },
    changes: { ...NO_CHANGES, agenda: { create: 1, update: 2, remove: 3, unchanged: 4 } },
    excluded: {},
    quarantined: 4,
    withheld: 3,
    held: { guard: 'removals', detail: '' },
  })
  emit('summit', {
    type: 'batch answered',
    number: 1,
    phase: 'upserts',
    operations: 3,
    results: { created: 3 },
  })
  end(EXIT.held)

  const scraped = await text()
  const families = parse(scraped)
  const names = Object.keys(METRICS) as MetricName[]
  expect(families.map(({ name }) => name).toSorted()).toEqual(names.map(prometheusName).toSorted())
  for (const name of names) {
    const metric = METRICS[name]
    const shown = prometheusName(name)
    const family = families.find((one) => one.name === shown)
    expect(family).toMatchObject({ type: metric.kind.toUpperCase(), help: metric.description })
    const samples = samplesOf(scraped, metric.kind === 'histogram' ? `${shown}_count` : shown)
    expect(samples.length).toBeGreaterThan(0)
    for (const { labels = {} } of samples)
      expect(Object.keys(labels).toSorted()).toEqual([...labelsOf(metric)].sort())
  }
})

test('each integration has one state, and an integration that never succeeded has no age', async () => {
  const { text } = open(() => ({
    integrations: [
      { integration: 'summit', state: 'up to date', secondsSinceSuccess: 90 },
      { integration: 'expo', state: 'never run', secondsSinceSuccess: null },
    ],
    jobs: { waiting: 1, oldestWaitSeconds: 12 },
  }))
  const scraped = await text()
  const states = samplesOf(scraped, 'event_sync_integration_state')
  expect(states).toHaveLength(2 * STATES_BY_NEED.length)
  expect(states.filter(({ value }) => value === '1').map(({ labels }) => labels)).toEqual([
    { integration: 'summit', state: 'up to date' },
    { integration: 'expo', state: 'never run' },
  ])
  expect(samplesOf(scraped, 'event_sync_last_success_age_seconds')).toEqual([
    { labels: { integration: 'summit' }, value: '90' },
  ])
  expect(valueIn(scraped, 'event_sync_jobs_waiting')).toBe(1)
  expect(valueIn(scraped, 'event_sync_jobs_oldest_wait_seconds')).toBe(12)
})

test('a state that is over is not served again', async () => {
  let state = 'failing'
  const { text } = open(() => ({
    ...NOTHING,
    integrations: [{ integration: 'summit', state, secondsSinceSuccess: state === 'failing' ? 5 : null }],
  }))
  await text()
  state = 'held'
  const scraped = await text()
  expect(valueIn(scraped, 'event_sync_integration_state', { integration: 'summit', state: 'failing' })).toBe(
    0,
  )
  expect(valueIn(scraped, 'event_sync_integration_state', { integration: 'summit', state: 'held' })).toBe(1)
  expect(samplesOf(scraped, 'event_sync_last_success_age_seconds')).toEqual([])
})

const pinned = { since: '2031-05-01T06:00:00.000Z', until: null, reason: null }

test.each<[string, number, Partial<RunReport>]>([
  ['finished', EXIT.ok, {}],
  ['incomplete', EXIT.incomplete, {}],
  ['held', EXIT.held, { status: 'held' }],
  ['failed', EXIT.failed, { status: 'failed' }],
  ['failed', EXIT.usage, { status: 'refused' }],
  ['pinned', EXIT.ok, { status: 'planned', command: 'run', pinned }],
  ['planned', EXIT.ok, { status: 'planned', command: 'plan' }],
  ['planned', EXIT.changes, { status: 'planned', command: 'plan' }],
  ['locked', EXIT.locked, { status: 'locked' }],
])('a run is counted as %s if its exit code is %d and its report has %j', async (result, code, report) => {
  const { end, text } = open()
  expect(valueIn(await text(), 'event_sync_runs_total', { integration: 'summit', result })).toBe(0)
  end(code, report)
  const samples = samplesOf(await text(), 'event_sync_runs_total').filter(({ value }) => value !== '0')
  expect(samples).toEqual([{ labels: { integration: 'summit', result }, value: '1' }])
})

test('counters begin with 0 for every integration, so that their first increase is seen', async () => {
  const { text } = open()
  for (const name of ['event_sync_quarantined_total', 'event_sync_withheld_total']) {
    expect(samplesOf(await text(), name).map(({ labels, value }) => [labels?.integration, value])).toEqual([
      ['summit', '0'],
      ['expo', '0'],
    ])
  }
})

test('the duration of a run is in seconds', async () => {
  const { at, emit, end, text } = open()
  emit('summit', {
    type: 'run opened',
    run: 'r',
    command: 'run',
    isContinued: false,
    lastSuccessMs: null,
    resources: [],
  })
  at(45_000)
  end(EXIT.ok)
  const scraped = await text()
  const integration = 'summit'
  const duration = 'event_sync_run_duration_seconds'
  expect(valueIn(scraped, `${duration}_sum`, { integration })).toBe(45)
  expect(valueIn(scraped, `${duration}_bucket`, { integration, le: '30' })).toBe(0)
  expect(valueIn(scraped, `${duration}_bucket`, { integration, le: '60' })).toBe(1)
})

test('ids are escaped in labels', async () => {
  const id = 'a "b" \\ c'
  const { text } = open(() => ({
    ...NOTHING,
    integrations: [{ integration: id, state: 'held', secondsSinceSuccess: 1 }],
  }))
  expect(valueIn(await text(), 'event_sync_last_success_age_seconds', { integration: id })).toBe(1)
})
