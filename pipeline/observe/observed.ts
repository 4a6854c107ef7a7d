import { metrics, trace } from '@opentelemetry/api'
import type { Context } from '../context/run-context.ts'
import type { Listener, SpanIds } from '../runtime/events.ts'
import { messageOf } from '../runtime/message-of.ts'
import { productVersion } from '../runtime/package-root.ts'
import { lineageListener } from './lineage.ts'
import { meterRuns } from './metrics.ts'
import { noticeListener } from './notify.ts'
import { receiversOf } from './receivers.ts'
import { traceRuns } from './spans.ts'

const NAME = 'event-content-sync'

/**
 * Adds listeners to the events of a context: OpenTelemetry, the configured receivers and lineage, and the
 * given listeners. OpenTelemetry only has an effect if the process uses its SDK.
 */
export function observed(context: Context, others: readonly Listener[] = []): Context {
  const { config, environment, events } = context
  const listeners: Listener[] = [
    meterRuns(metrics.getMeter(NAME, productVersion), environment.now),
    ...others,
  ]
  const { lineage } = config
  const receivers = receiversOf(context)
  if (receivers.length > 0) listeners.push(noticeListener(context, receivers))
  if (lineage !== undefined) listeners.push(lineageListener(context, lineage))
  const traced = withSpans(events, traceRuns(trace.getTracer(NAME, productVersion), environment.now))
  return { ...context, events: passingOn(traced, listeners) }
}

/** Traces each event, and passes it on to a listener with the ids of its span. */
function withSpans(listener: Listener, traceEvent: ReturnType<typeof traceRuns>): Listener {
  return {
    ...listener,
    emit(integration, event) {
      let span: SpanIds | null = null
      try {
        span = traceEvent(integration, event)
      } catch (error) {
        listener.emit(integration, { type: 'delivery failed', to: 'a listener', cause: messageOf(error) })
      }
      listener.emit(integration, event, span)
    },
  }
}

/**
 * Returns a listener that passes each event on to several listeners. If one of `others` throws an error,
 * `first` receives an event about the error, and the run continues.
 */
export function passingOn(first: Listener, others: readonly Listener[]): Listener {
  return {
    emit(integration, event) {
      first.emit(integration, event)
      if (event.type === 'delivery failed') return
      for (const other of others) {
        try {
          other.emit(integration, event)
        } catch (error) {
          first.emit(integration, { type: 'delivery failed', to: 'a listener', cause: messageOf(error) })
        }
      }
    },
    async settled(integration) {
      await Promise.all([first, ...others].map((one) => one.settled?.(integration)))
    },
  }
}
