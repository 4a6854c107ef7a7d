import type { Meter } from '@opentelemetry/api'
import type { Listener } from '../runtime/events.ts'

/**
 * Histogram bucket bounds in seconds. The bounds for requests follow the semantic conventions of
 * OpenTelemetry. The bounds for steps and runs go up to two hours.
 */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const STEP_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200]

/**
 * Measures runs with OpenTelemetry metrics. The names, units and attributes are described in
 * pipeline/observe/README.md, "Traces and metrics".
 *
 * @param now returns milliseconds since 1970
 */
export function measureRuns(meter: Meter, now: () => number): Listener {
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`event_sync.${name}`, { unit, description })
  const histogram = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries } })
  const records = counter('records', '{record}', 'Records read, including those read again.')
  const bytes = counter('read.io', 'By', 'Bytes read, after decompression.')
  const retries = counter('retries', '{retry}', 'Requests and reads that were retried.')
  const waits = counter('wait.time', 's', 'Time spent waiting before a retry.')
  const changes = counter('changes', '{change}', 'Planned changes.')
  const holds = counter('holds', '{hold}', 'Plans that a guard held.')
  const operations = counter('operations', '{operation}', 'Operations by outcome.')
  const quarantined = counter('quarantined', '{record}', 'Records that could not be read.')
  const untilHead = 'Time until the head of an answer arrived.'
  const requests = histogram('http.client.request.duration', untilHead, REQUEST_SECONDS)
  const steps = histogram('event_sync.step.duration', 'Duration of a step.', STEP_SECONDS)
  const durations = histogram('event_sync.run.duration', 'Duration of a run.', STEP_SECONDS)
  const age = meter.createObservableGauge('event_sync.last_success.age', {
    unit: 's',
    description: 'Time since the last successful run of the integration.',
  })

  const successes = new Map<string, number>()
  const opened = new Map<string, number>()
  age.addCallback((result) => {
    for (const [integration, endedMs] of successes) {
      result.observe(Math.max(0, now() - endedMs) / 1000, { 'event_sync.integration': integration })
    }
  })

  return {
    emit(integration, event) {
      const ofIntegration = { 'event_sync.integration': integration }
      switch (event.type) {
        case 'run opened':
          opened.set(integration, now())
          if (event.lastSuccessMs !== null) successes.set(integration, event.lastSuccessMs)
          break
        case 'step ended':
          steps.record(event.ms / 1000, {
            ...ofIntegration,
            'event_sync.step': event.step,
            ...(event.errorType === null ? {} : { 'error.type': event.errorType }),
          })
          break
        case 'read': {
          const attributes = { ...ofIntegration, 'event_sync.resource': event.resource }
          if (event.records > 0) records.add(event.records, attributes)
          if (event.bytes > 0) bytes.add(event.bytes, attributes)
          break
        }
        case 'request': {
          const { method, host, port, status, ms } = event
          requests.record(ms / 1000, {
            ...ofIntegration,
            'http.request.method': method,
            'server.address': host,
            'server.port': port,
            ...(status === null ? { 'error.type': 'no_answer' } : { 'http.response.status_code': status }),
            ...(status !== null && status >= 400 ? { 'error.type': String(status) } : {}),
          })
          break
        }
        case 'wait': {
          const attributes = { ...ofIntegration, 'server.address': event.host }
          if (event.isRetry) retries.add(1, attributes)
          waits.add(event.waitMs / 1000, { ...attributes, 'event_sync.retry': event.isRetry })
          break
        }
        case 'planned':
          for (const [content, { create, update, handover = 0, remove }] of Object.entries(event.changes)) {
            for (const [action, count] of Object.entries({ create, update, handover, remove })) {
              const attributes = { 'event_sync.content': content, 'event_sync.action': action }
              if (count > 0) changes.add(count, { ...ofIntegration, ...attributes })
            }
          }
          if (event.held !== null) holds.add(1, { ...ofIntegration, 'event_sync.guard': event.held.guard })
          if (event.quarantined > 0) quarantined.add(event.quarantined, ofIntegration)
          break
        case 'batch answered':
          for (const [status, count] of Object.entries(event.results)) {
            operations.add(count, { ...ofIntegration, 'event_sync.result': status })
          }
          break
        case 'run ended': {
          const startedMs = opened.get(integration)
          opened.delete(integration)
          if (event.report.status === 'finished') successes.set(integration, now())
          durations.record(startedMs === undefined ? 0 : Math.max(0, now() - startedMs) / 1000, {
            ...ofIntegration,
            'event_sync.status': event.report.status,
            'event_sync.exit_code': event.exitCode,
          })
        }
      }
    },
  }
}
