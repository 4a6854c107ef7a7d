import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Listener } from './tell-all.ts'
import type { EndedRun } from './told.ts'

/** Spans of a run that have not ended. */
interface OpenSpans {
  readonly run: Span
  step: Span | null
  batch: Span | null
  readonly resources: Map<string, Span>
  /** Bytes of a resource that this process has read. */
  readonly bytes: Map<string, number>
}

/**
 * Makes a trace of each run: run, its steps, below these the resources and the batches, below these the requests.
 *
 * Names and attributes are those of README.md, "Traces and metrics"; errors are told by their class alone, since a trace goes
 * further than a log.
 *
 * @param now milliseconds; of all times, so that spans nest to the millisecond
 */
export function traceRuns(tracer: Tracer, now: () => number): Listener {
  const runs = new Map<string, OpenSpans>()

  function start(name: string, parent: Span | null, attributes: Attributes): Span {
    const context = parent === null ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent)
    return tracer.startSpan(name, { startTime: now(), attributes }, context)
  }

  /** @param errorType null: it went well */
  function end(span: Span, errorType: string | null): void {
    if (errorType !== null) {
      span.setAttribute('error.type', errorType)
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
    span.end(now())
  }

  /** Ends what a step leaves open, as when it fails. */
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

  return {
    opened(integration, { run, command, isContinued }) {
      endRun(integration, null)
      const attributes = {
        'event_sync.integration': integration,
        'event_sync.run': run,
        'event_sync.command': command,
        'event_sync.continued': isContinued,
      }
      const span = start('run', null, attributes)
      runs.set(integration, { run: span, step: null, batch: null, resources: new Map(), bytes: new Map() })
    },
    step(integration, step) {
      const open = runs.get(integration)
      if (open !== undefined) open.step = start(step, open.run, { 'event_sync.step': step })
    },
    stepped(integration, { errorType }) {
      const open = runs.get(integration)
      if (open !== undefined) endStep(open, errorType)
    },
    resource(integration, resource) {
      const open = runs.get(integration)
      open?.resources.set(resource, start(`read ${resource}`, open.step, { 'event_sync.resource': resource }))
    },
    read(integration, resource, _records, bytes) {
      const sizes = runs.get(integration)?.bytes
      sizes?.set(resource, (sizes.get(resource) ?? 0) + bytes)
    },
    certified(integration, { resource, certified, requests, attempts, records, faults, end: proof }) {
      const open = runs.get(integration)
      const span = open?.resources.get(resource)
      if (open === undefined || span === undefined) return
      open.resources.delete(resource)
      span.setAttributes({
        'event_sync.certified': certified,
        'event_sync.end_proof': proof,
        'event_sync.records': records,
        'event_sync.faults': faults,
        'event_sync.requests': requests,
        'event_sync.attempts': attempts,
        'event_sync.bytes': open.bytes.get(resource) ?? 0,
      })
      end(span, null)
    },
    request(integration, { method, host, port, resource, status, ms }) {
      const open = runs.get(integration)
      if (open === undefined) return
      const parent = (resource === null ? open.batch : open.resources.get(resource)) ?? open.step ?? open.run
      const endTime = now()
      const span = tracer.startSpan(
        method,
        {
          kind: SpanKind.CLIENT,
          startTime: endTime - ms,
          attributes: {
            'http.request.method': method,
            'server.address': host,
            'server.port': port,
            ...(status === null ? {} : { 'http.response.status_code': status }),
          },
        },
        trace.setSpan(ROOT_CONTEXT, parent),
      )
      const errorType = status === null ? 'no_answer' : status >= 400 ? String(status) : null
      end(span, errorType)
    },
    wait(integration, { waitMs, status, isRetry }) {
      const open = runs.get(integration)
      const attributes = { 'event_sync.wait': waitMs / 1000, 'event_sync.retry': isRetry }
      const answered = status === null ? {} : { 'http.response.status_code': status }
      const span = open?.batch ?? open?.step
      span?.addEvent('wait', { ...attributes, ...answered }, now())
    },
    planned(integration, { planHash, quarantined, held }) {
      const step = runs.get(integration)?.step
      step?.setAttributes({ 'event_sync.plan_hash': planHash, 'event_sync.quarantined': quarantined })
      if (held !== null) step?.setAttribute('event_sync.guard', held.guard)
    },
    batch(integration, { number, phase, operations }) {
      const open = runs.get(integration)
      if (open === undefined) return
      const attributes = {
        'event_sync.batch': number,
        'event_sync.phase': phase,
        'event_sync.operations': operations,
      }
      open.batch = start(`send ${phase}`, open.step, attributes)
    },
    answered(integration, { results }) {
      const open = runs.get(integration)
      if (open === undefined || open.batch === null) return
      for (const [status, count] of Object.entries(results)) {
        open.batch.setAttribute(`event_sync.operations.${status}`, count)
      }
      end(open.batch, null)
      open.batch = null
    },
    ended: endRun,
    done: (integration) => endRun(integration, null),
  }
}
