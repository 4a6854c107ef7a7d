import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { STATES_BY_NEED } from '../../../pipeline/inspect/state.ts'
import {
  labelsOf,
  METRICS,
  type Metric,
  type MetricName,
  metricsFrom,
  prometheusName,
} from '../../../pipeline/observe/metric-list.ts'
import { RUN_RESULTS } from '../../../pipeline/observe/outcome.ts'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { alertRules, dashboardExpressions } from './monitoring.ts'

const names = Object.keys(METRICS) as MetricName[]
const readme = readFileSync(join(packageRoot, 'pipeline', 'observe', 'README.md'), 'utf8')
const code = (name: string) => `\`${name}\``

test.each(names)('the name of %s at /metrics follows the conventions of Prometheus', (name) => {
  const { kind, unit } = METRICS[name]
  const shown = prometheusName(name)
  expect(shown).toMatch(/^[a-z]+(_[a-z]+)+$/)
  expect(shown.endsWith('_total')).toBe(kind === 'counter')
  expect(/_seconds(_total)?$/.test(shown)).toBe(unit === 's')
  expect(/_bytes(_total)?$/.test(shown)).toBe(unit === 'By')
})

test('the labels at /metrics are attributes of the same metric', () => {
  for (const metric of Object.values(METRICS)) {
    const { attributes, labels = attributes }: Metric = metric
    expect(attributes).toEqual(expect.arrayContaining([...labels]))
  }
})

/** Returns the row of the README for a metric that is read from the database. */
function databaseRow([name, metric]: readonly [MetricName, Metric]): string {
  const labels = labelsOf(metric).map(code).join(', ') || '–'
  return `| ${code(prometheusName(name))} | ${labels} | ${metric.description} |`
}

/** Returns the row of the README for a metric of the runs of a process. Attributes in brackets are not labels. */
function runsRow([name, metric]: readonly [MetricName, Metric]): string {
  const { attributes, labels = attributes } = metric
  const shown = attributes.map((one) => (labels.includes(one) ? code(one) : `(${code(one)})`)).join(', ')
  const kind = `${metric.kind}, ${code(metric.unit)}`
  return `| ${code(name)} | ${code(prometheusName(name))} | ${kind} | ${shown} | ${metric.description} |`
}

test('the tables of README.md have exactly the metrics of the list', () => {
  const rows = readme.split('\n').filter((line) => /^\| `(?:event_sync|http)[._]\S+` \|/.test(line))
  expect(rows).toEqual([...metricsFrom('database').map(databaseRow), ...metricsFrom('runs').map(runsRow)])
})

test('README.md names all results of runs and all states', () => {
  for (const word of [...RUN_RESULTS, ...STATES_BY_NEED]) expect(readme).toContain(code(word))
})

const SERIES = new Map(
  names.flatMap((name) => {
    const shown = prometheusName(name)
    const metric: Metric = METRICS[name]
    const labels = labelsOf(metric)
    if (metric.kind !== 'histogram') return [[shown, labels] as const]
    return ['bucket', 'count', 'sum'].map((part) => [`${shown}_${part}`, [...labels, 'le']] as const)
  }),
)

/** Lists what an expression names that `/metrics` does not serve: metrics, labels and states. */
function unknownIn(expression: string): readonly string[] {
  const found = [...expression.matchAll(/\b(event_sync_\w+|http_client_\w+)(?:\{([^}]*)\})?/g)]
  const grouped = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(', '),
  )
  const known = new Set(found.flatMap(([, name = '']) => SERIES.get(name) ?? []))
  return [
    ...found.flatMap(([, name = '', matchers = '']) => [
      ...(SERIES.has(name) ? [] : [name]),
      ...[...matchers.matchAll(/(\w+)(?:=~|!=|=)"/g)].flatMap(([, label = '']) =>
        SERIES.get(name)?.includes(label) === true ? [] : [`${name}.${label}`],
      ),
    ]),
    ...[...expression.matchAll(/\bstate!?="([^"]*)"/g)].flatMap(([, state = '']) =>
      (STATES_BY_NEED as readonly string[]).includes(state) ? [] : [state],
    ),
    ...grouped.filter((label) => !known.has(label)),
    ...(found.length === 0 ? [`no metric in ${expression}`] : []),
  ]
}

test('what is unknown in an expression is found', () => {
  expect(unknownIn('max by (host) (event_sync_jobs_waiting{state="odd"})')).toEqual([
    'event_sync_jobs_waiting.state',
    'odd',
    'host',
  ])
  expect(unknownIn('event_sync_run_duration_seconds')).toEqual(['event_sync_run_duration_seconds'])
})

test.each(alertRules())(
  'the alert $alert uses metrics, labels and states that exist, and says what to do',
  (rule) => {
    expect(unknownIn(rule.expr)).toEqual([])
    expect(rule.labels.severity).toMatch(/^(critical|warning|info)$/)
    expect(rule.annotations.summary).toMatch(/\w/)
    expect(rule.annotations.description).toMatch(/\w/)
  },
)

test('the dashboard uses metrics, labels and states that exist', () => {
  const expressions = dashboardExpressions()
  expect(expressions.length).toBeGreaterThan(10)
  for (const expression of expressions) expect(unknownIn(expression)).toEqual([])
})

test('the scrape configuration in README.md requests the path that a worker serves', () => {
  const [, text = ''] = /```text\n(# prometheus\.yml\n[^`]*)```/.exec(readme) ?? []
  expect(parse(text)).toMatchObject({ scrape_configs: [{ job_name: 'event-sync' }] })
})
