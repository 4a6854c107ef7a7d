import type { Received } from './receiver.ts'

/** A span (a timed step of a trace) as a collector receives it, with the names of its ancestors. */
export interface SeenSpan {
  readonly name: string
  /** Names from the root down to the span: `run > extract > read users`. */
  readonly path: string
  readonly traceId: string
  readonly spanId: string
  readonly startMs: number
  readonly endMs: number
  readonly isError: boolean
  readonly attributes: Attributes
}

/** One data point of a metric. */
export interface SeenPoint {
  readonly metric: string
  readonly unit: string
  readonly attributes: Attributes
  /**
   * The sum or the last value of the metric. For a histogram, the value is the sum of the recorded values.
   */
  readonly value: number
  /** The number of values that a histogram has recorded, and 0 for other metrics. */
  readonly count: number
}

type Attributes = Readonly<Record<string, unknown>>

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface OtlpSpan extends Pick<SeenSpan, 'name' | 'traceId' | 'spanId'> {
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code?: number }
  readonly attributes: readonly Attribute[]
}

interface OtlpPoints {
  readonly dataPoints: readonly {
    readonly attributes: readonly Attribute[]
    readonly asInt?: string | number
    readonly asDouble?: number
    readonly sum?: number
    readonly count?: string | number
  }[]
}

interface OtlpMetric {
  readonly name: string
  readonly unit: string
  readonly sum?: OtlpPoints
  readonly gauge?: OtlpPoints
  readonly histogram?: OtlpPoints
}

/** Returns the spans of all messages to `/v1/traces`, which are in the JSON form of OTLP. */
export function spansOf(received: readonly Received[]): readonly SeenSpan[] {
  const spans = received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => JSON.parse(body).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap((scope: { readonly spans: readonly OtlpSpan[] }) => scope.spans)
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const pathOf = ({ name, parentSpanId }: OtlpSpan): string => {
    if (parentSpanId === undefined || parentSpanId === '') return name
    const parent = byId.get(parentSpanId)
    return `${parent === undefined ? 'not sent' : pathOf(parent)} > ${name}`
  }
  return spans.map((span) => ({
    name: span.name,
    path: pathOf(span),
    traceId: span.traceId,
    spanId: span.spanId,
    startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
    endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
    isError: span.status.code === 2,
    attributes: attributesOf(span.attributes),
  }))
}

/**
 * Returns the points of the last message to `/v1/metrics`. The last message is enough, because sums are
 * cumulative.
 */
export function pointsOf(received: readonly Received[]): readonly SeenPoint[] {
  const last = received.findLast(({ path }) => path === '/v1/metrics')
  if (last === undefined) return []
  const metrics: readonly OtlpMetric[] = JSON.parse(last.body)
    .resourceMetrics.flatMap((one: { readonly scopeMetrics: readonly unknown[] }) => one.scopeMetrics)
    .flatMap((scope: { readonly metrics: readonly OtlpMetric[] }) => scope.metrics)
  return metrics.flatMap(({ name, unit, sum, gauge, histogram }) =>
    ((sum ?? gauge ?? histogram)?.dataPoints ?? []).map((point) => ({
      metric: name,
      unit,
      attributes: attributesOf(point.attributes),
      value: Number(point.asInt ?? point.asDouble ?? point.sum),
      count: Number(point.count ?? 0),
    })),
  )
}

function attributesOf(list: readonly Attribute[]): Attributes {
  return Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      value.intValue === undefined ? Object.values(value)[0] : Number(value.intValue),
    ]),
  )
}
