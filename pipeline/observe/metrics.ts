import type { Meter } from '@opentelemetry/api'
import type { Listener } from '../runtime/events.ts'
import { type Attributes, measureRuns } from './measure.ts'
import { METRICS, metricsFrom } from './metric-list.ts'

/**
 * Measures runs with OpenTelemetry metrics. The names, units and attributes are those of `metric-list.ts`.
 *
 * @param now returns milliseconds since 1970
 */
export function meterRuns(meter: Meter, now: () => number): Listener {
  const sinks = new Map(
    metricsFrom('runs').map(([name, { kind, unit, description, bounds = [] }]) => {
      if (kind === 'histogram') {
        const advice = { explicitBucketBoundaries: [...bounds] }
        const histogram = meter.createHistogram(name, { unit, description, advice })
        return [name, (value: number, of: Attributes) => histogram.record(value, of)] as const
      }
      const counter = meter.createCounter(name, { unit, description })
      return [name, (value: number, of: Attributes) => counter.add(value, of)] as const
    }),
  )
  const measured = measureRuns((name, value, of) => sinks.get(name)?.(value, prefixed(of)), now)
  const aged = observeAges(meter, now)
  return {
    emit(integration, event) {
      measured.emit(integration, event)
      aged.emit(integration, event)
    },
  }
}

/** Observes the age of the last success of each integration on which this process has worked. */
function observeAges(meter: Meter, now: () => number): Listener {
  const successes = new Map<string, number>()
  const { unit, description } = METRICS['event_sync.last_success.age']
  meter.createObservableGauge('event_sync.last_success.age', { unit, description }).addCallback((result) => {
    for (const [integration, endedMs] of successes) {
      result.observe(Math.max(0, now() - endedMs) / 1000, prefixed({ integration }))
    }
  })
  return {
    emit(integration, event) {
      if (event.type === 'run opened' && event.lastSuccessMs !== null)
        successes.set(integration, event.lastSuccessMs)
      if (event.type === 'run ended' && event.report.status === 'finished') successes.set(integration, now())
    },
  }
}

function prefixed(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name.includes('.') ? name : `event_sync.${name}`,
      value,
    ]),
  )
}
