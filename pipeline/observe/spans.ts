import {
  type Attributes,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { EndedRun, RunEvent, SpanIds } from '../runtime/events.ts'

/** Spans of a run (the timed parts of an OpenTelemetry trace) that have not ended yet. */
interface OpenSpans {
  readonly run: Span
  step: Span | null
  batch: Span | null
  readonly resources: Map<string, Span>
  /** Number of bytes that this process has read, for each resource. */
  readonly bytes: Map<string, number>
}

/** Events that begin a span. Every other event belongs to a span that is open already. */
const BEGINNINGS: ReadonlySet<RunEvent['type']> = new Set([
  'run opened',
  'step begun',
  'reading begun',
  'batch sent',
])

/**
 * Makes an OpenTelemetry trace of each run. The spans of a run are nested: first the steps, below these the
 * resources and batches, and below these the requests.
 *
 * The names and attributes are described in pipeline/observe/README.md, "Traces and metrics". A trace
 * contains only the class of an error, because traces leave the machine.
 *
 * @param now returns milliseconds since 1970
 * @returns a function that receives each event, and returns the ids of the span to which the event belongs.
 *   The ids are null if no run is open, or if the process has no OpenTelemetry SDK
 */
export function traceRuns(tracer: Tracer, now: () => number) {
  const runs = new Map<string, OpenSpans>()

  function start(name: string, parent: Span | null, attributes: Attributes, options: SpanOptions = {}): Span {
    const context = parent === null ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent)
    return tracer.startSpan(name, { startTime: now(), attributes, ...options }, context)
  }

  /** Ends a span. @param errorType class of the error; null if the work succeeded */
  function end(span: Span, errorType: string | null): void {
    if (errorType !== null) {
      span.setAttribute('error.type', errorType)
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
    span.end(now())
  }

  /** Ends the span of a step, and all open spans below it. */
  function endStep(open: OpenSpans, errorType: string | null): void {
    for (const span of [...open.resources.values(), open.batch]) if (span !== null) end(span, errorType)
    open.resources.clear()
    open.batch = null
    if (open.step !== null) end(open.step, errorType)
    open.step = null
  }

  function endRun(integration: string, ended: EndedRun | null): void {
    const open = runs.get(integration)
    if (open === undefined) return
    runs.delete(integration)
    const isFault = ended === null || ended.exitCode === 1
    endStep(open, isFault ? 'failed' : null)
    if (ended !== null) {
      const { report, exitCode } = ended
      open.run.setAttributes({
        'event_sync.status': report.status,
        'event_sync.exit_code': exitCode,
        ...(report.planHash === null ? {} : { 'event_sync.plan_hash': report.planHash }),
        ...(report.held === null ? {} : { 'event_sync.guard': report.held.guard }),
      })
    }
    end(open.run, isFault ? 'failed' : null)
  }

  function emit(integration: string, event: RunEvent): SpanIds | null {
    const before = spanOf(runs.get(integration), event)
    handle(integration, event)
    const span = BEGINNINGS.has(event.type) ? spanOf(runs.get(integration), event) : before
    if (span === null || !isSpanContextValid(span.spanContext())) return null
    const { traceId, spanId } = span.spanContext()
    return { traceId, spanId }
  }

  function handle(integration: string, event: RunEvent): void {
    if (event.type === 'run opened') {
      endRun(integration, null)
      const span = start('run', null, {
        'event_sync.integration': integration,
        'event_sync.run': event.run,
        'event_sync.command': event.command,
        'event_sync.continued': event.isContinued,
      })
      runs.set(integration, { run: span, step: null, batch: null, resources: new Map(), bytes: new Map() })
    }
    if (event.type === 'run ended') endRun(integration, event)
    if (event.type === 'done') endRun(integration, null)
    const open = runs.get(integration)
    if (open !== undefined) within(open, event)
  }

  function within(open: OpenSpans, event: RunEvent): void {
    switch (event.type) {
      case 'step begun':
        open.step = start(event.step, open.run, { 'event_sync.step': event.step })
        break
      case 'step ended':
        endStep(open, event.errorType)
        break
      case 'reading begun': {
        const attributes = { 'event_sync.resource': event.resource }
        open.resources.set(event.resource, start(`read ${event.resource}`, open.step, attributes))
        break
      }
      case 'read':
        open.bytes.set(event.resource, (open.bytes.get(event.resource) ?? 0) + event.bytes)
        break
      case 'reading ended': {
        const span = open.resources.get(event.resource)
        if (span === undefined) break
        open.resources.delete(event.resource)
        span.setAttributes({
          'event_sync.certified': event.certified,
          'event_sync.end_proof': event.end,
          'event_sync.records': event.records,
          'event_sync.faults': event.faults,
          'event_sync.requests': event.requests,
          'event_sync.attempts': event.attempts,
          'event_sync.bytes': open.bytes.get(event.resource) ?? 0,
        })
        end(span, null)
        break
      }
      case 'request': {
        const { method, host, port, resource, status, ms } = event
        const parent =
          (resource === null ? open.batch : open.resources.get(resource)) ?? open.step ?? open.run
        const attributes = {
          'http.request.method': method,
          'server.address': host,
          'server.port': port,
          ...(status === null ? {} : { 'http.response.status_code': status }),
        }
        const span = start(method, parent, attributes, { kind: SpanKind.CLIENT, startTime: now() - ms })
        end(span, status === null ? 'no_answer' : status >= 400 ? String(status) : null)
        break
      }
      case 'wait': {
        const attributes = { 'event_sync.wait': event.waitMs / 1000, 'event_sync.retry': event.isRetry }
        const answered = event.status === null ? {} : { 'http.response.status_code': event.status }
        const span = open.batch ?? open.step
        span?.addEvent('wait', { ...attributes, ...answered }, now())
        break
      }
      case 'planned':
        open.step?.setAttributes({
          'event_sync.plan_hash': event.planHash,
          'event_sync.quarantined': event.quarantined,
          ...(event.held === null ? {} : { 'event_sync.guard': event.held.guard }),
        })
        break
      case 'batch sent':
        open.batch = start(`send ${event.phase}`, open.step, {
          'event_sync.batch': event.number,
          'event_sync.phase': event.phase,
          'event_sync.operations': event.operations,
        })
        break
      case 'batch answered':
        if (open.batch === null) break
        for (const [status, count] of Object.entries(event.results)) {
          open.batch.setAttribute(`event_sync.operations.${status}`, count)
        }
        end(open.batch, null)
        open.batch = null
    }
  }

  return emit
}

/** Returns the innermost open span to which an event belongs; null if no run is open. */
function spanOf(open: OpenSpans | undefined, event: RunEvent): Span | null {
  if (open === undefined) return null
  const { run, step, batch, resources } = open
  if (event.type === 'run ended') return run
  if (event.type === 'step ended') return step ?? run
  const resource = 'resource' in event && event.resource !== null ? resources.get(event.resource) : null
  return resource ?? batch ?? step ?? run
}
