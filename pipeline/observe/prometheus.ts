import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Listener } from '../runtime/events.ts'
import { type Attributes, measureRuns } from './measure.ts'
import {
  labelName,
  labelsOf,
  METRICS,
  type MeasuredName,
  type MetricName,
  metricsFrom,
  prometheusName,
} from './metric-list.ts'
import { RUN_RESULTS } from './outcome.ts'

/** Figures that a request of `/metrics` reads from the database. */
export interface StoredFigures {
  readonly integrations: readonly {
    readonly integration: string
    readonly state: string
    /** Null if no run of the integration has succeeded. */
    readonly secondsSinceSuccess: number | null
  }[]
  /** Jobs that are due and that no worker has taken yet. */
  readonly jobs: { readonly waiting: number; readonly oldestWaitSeconds: number }
}

export interface Prometheus {
  /** Measures the runs of this process. */
  readonly listener: Listener
  /** Returns all metrics in the text format of Prometheus. */
  text(): Promise<string>
}

/**
 * Measures the runs of a worker for Prometheus. Values that come from the database are read at each request.
 *
 * @param integrations returns the ids of the integrations whose counters begin with 0. Without a first value of
 *   0, Prometheus would not see the first increase of a counter
 * @param states all states of an integration
 * @param now returns milliseconds since 1970
 */
export function openPrometheus(
  integrations: () => readonly string[],
  states: readonly string[],
  now: () => number,
  read: () => Promise<StoredFigures>,
): Prometheus {
  const registry = new Registry()
  const sinks = new Map(metricsFrom('runs').map(([name]) => [name, openSink(registry, name)]))
  const gauges = new Map(
    metricsFrom('database').map(([name]) => [name, new Gauge(settingsOf(registry, name))]),
  )

  function begin(integration: string): void {
    for (const name of ['event_sync.quarantined', 'event_sync.withheld'] as const)
      sinks.get(name)?.(0, { integration })
    for (const result of RUN_RESULTS) sinks.get('event_sync.runs')?.(0, { integration, result })
  }

  function set(name: MetricName, value: number, labels: Readonly<Record<string, string>> = {}): void {
    gauges.get(name)?.set(labels, value)
  }

  function show({ integrations: found, jobs }: StoredFigures): void {
    for (const gauge of gauges.values()) gauge.reset()
    for (const { integration, state, secondsSinceSuccess } of found) {
      for (const one of states)
        set('event_sync.integration.state', one === state ? 1 : 0, { integration, state: one })
      if (secondsSinceSuccess !== null)
        set('event_sync.last_success.age', secondsSinceSuccess, { integration })
    }
    set('event_sync.jobs.waiting', jobs.waiting)
    set('event_sync.jobs.oldest_wait', jobs.oldestWaitSeconds)
  }

  return {
    listener: measureRuns((name, value, of) => sinks.get(name)?.(value, of), now),
    async text() {
      show(await read())
      for (const integration of integrations()) begin(integration)
      return registry.metrics()
    },
  }
}

type Sink = (value: number, attributes: Attributes) => void

function openSink(registry: Registry, name: MeasuredName): Sink {
  const metric = METRICS[name]
  const settings = settingsOf(registry, name)
  const names = new Set(settings.labelNames)
  const labelled = (attributes: Attributes) =>
    Object.fromEntries(
      Object.entries(attributes).flatMap(([attribute, value]) => {
        const label = labelName(attribute)
        return names.has(label) ? [[label, String(value)]] : []
      }),
    )
  if (metric.kind === 'histogram') {
    const histogram = new Histogram({ ...settings, buckets: [...metric.bounds] })
    return (value, of) => histogram.observe(labelled(of), value)
  }
  const counter = new Counter(settings)
  return (value, of) => counter.inc(labelled(of), value)
}

function settingsOf(registry: Registry, name: MetricName) {
  const metric = METRICS[name]
  const labelNames = [...labelsOf(metric)]
  return { name: prometheusName(name), help: metric.description, labelNames, registers: [registry] }
}
