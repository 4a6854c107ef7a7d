import type { Listener } from '../runtime/events.ts'
import type { MeasuredName } from './metric-list.ts'
import { resultOf } from './outcome.ts'

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** Adds a value to a counter, or records it in a histogram. */
export type Measure = (name: MeasuredName, value: number, attributes: Attributes) => void

/**
 * Measures runs by their events. The metrics are those of `metric-list.ts`.
 *
 * @param now returns milliseconds since 1970
 */
export function measureRuns(measure: Measure, now: () => number): Listener {
  const opened = new Map<string, number>()
  const count: Measure = (name, value, attributes) => {
    if (value > 0) measure(name, value, attributes)
  }
  return {
    emit(integration, event) {
      switch (event.type) {
        case 'run opened':
          opened.set(integration, now())
          break
        case 'step ended': {
          const failed = event.errorType === null ? {} : { 'error.type': event.errorType }
          measure('event_sync.step.duration', event.ms / 1000, { integration, step: event.step, ...failed })
          break
        }
        case 'read': {
          const attributes = { integration, resource: event.resource }
          count('event_sync.records', event.records, attributes)
          count('event_sync.read.io', event.bytes, attributes)
          break
        }
        case 'request': {
          const { method, host, port, status, ms } = event
          measure('http.client.request.duration', ms / 1000, {
            integration,
            'http.request.method': method,
            'server.address': host,
            'server.port': port,
            ...(status === null ? { 'error.type': 'no_answer' } : { 'http.response.status_code': status }),
            ...(status !== null && status >= 400 ? { 'error.type': String(status) } : {}),
          })
          break
        }
        case 'wait': {
          const attributes = { integration, 'server.address': event.host }
          if (event.isRetry) measure('event_sync.retries', 1, attributes)
          measure('event_sync.wait.time', event.waitMs / 1000, { ...attributes, retry: event.isRetry })
          break
        }
        case 'planned':
          for (const [resource, records] of Object.entries(event.records)) {
            count('event_sync.distinct_records', records, { integration, resource })
          }
          for (const [content, { create, update, handover = 0, remove }] of Object.entries(event.changes)) {
            for (const [action, changes] of Object.entries({ create, update, handover, remove })) {
              count('event_sync.changes', changes, { integration, content, action })
            }
          }
          if (event.held !== null) measure('event_sync.holds', 1, { integration, guard: event.held.guard })
          count('event_sync.quarantined', event.quarantined, { integration })
          count('event_sync.withheld', event.withheld, { integration })
          break
        case 'batch answered':
          for (const [result, operations] of Object.entries(event.results)) {
            measure('event_sync.operations', operations, { integration, result })
          }
          break
        case 'run ended': {
          const startedMs = opened.get(integration) ?? now()
          opened.delete(integration)
          const { report, exitCode } = event
          measure('event_sync.runs', 1, { integration, result: resultOf(event) })
          measure('event_sync.run.duration', Math.max(0, now() - startedMs) / 1000, {
            integration,
            status: report.status,
            exit_code: exitCode,
          })
        }
      }
    },
  }
}
