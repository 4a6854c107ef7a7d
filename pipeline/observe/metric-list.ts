/** A metric, as OpenTelemetry and the path `/metrics` of a worker have it. */
export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  /** Unit in UCUM, as OpenTelemetry has it: `s`, `By`, or a thing that is counted in braces. */
  readonly unit: string
  readonly description: string
  /** Attributes in OpenTelemetry. There, an attribute whose name has no dot gets the prefix `event_sync.`. */
  readonly attributes: readonly string[]
  /**
   * The attributes that are labels at `/metrics`; left out: all. With few labels, 1,000 integrations have few
   * enough time series.
   */
  readonly labels?: readonly string[]
  /** Upper bounds of the buckets of a histogram. */
  readonly bounds?: readonly number[]
  /**
   * `runs`: measured by the process that makes the run. `database`: read from the database at each request of
   * `/metrics`.
   */
  readonly from: 'runs' | 'database'
}

/**
 * Bounds in seconds. The bounds for requests follow the semantic conventions of OpenTelemetry. The bounds for
 * steps and runs go up to two hours.
 */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const STEP_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200]

/**
 * All metrics of the product, by their names in OpenTelemetry. The tables in pipeline/observe/README.md have
 * the same metrics.
 */
export const METRICS = {
  'event_sync.integration.state': {
    kind: 'gauge',
    unit: '',
    description: '1 for the state of the integration, 0 for every other state.',
    attributes: ['integration', 'state'],
    from: 'database',
  },
  'event_sync.last_success.age': {
    kind: 'gauge',
    unit: 's',
    description: 'Time since the last successful run of the integration.',
    attributes: ['integration'],
    from: 'database',
  },
  'event_sync.jobs.waiting': {
    kind: 'gauge',
    unit: '{job}',
    description: 'Backlog: jobs that are due and that no worker has taken yet.',
    attributes: [],
    from: 'database',
  },
  'event_sync.jobs.oldest_wait': {
    kind: 'gauge',
    unit: 's',
    description: 'Time for which the oldest of the waiting jobs has been due; 0 if no job waits.',
    attributes: [],
    from: 'database',
  },
  'event_sync.runs': {
    kind: 'counter',
    unit: '{run}',
    description: 'Runs that ended, by result.',
    attributes: ['integration', 'result'],
    from: 'runs',
  },
  'event_sync.run.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of a run.',
    attributes: ['integration', 'status', 'exit_code'],
    labels: ['integration'],
    bounds: STEP_SECONDS,
    from: 'runs',
  },
  'event_sync.step.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of a step.',
    attributes: ['integration', 'step', 'error.type'],
    labels: ['step'],
    bounds: STEP_SECONDS,
    from: 'runs',
  },
  'event_sync.records': {
    kind: 'counter',
    unit: '{record}',
    description: 'Records read, including those read again.',
    attributes: ['integration', 'resource'],
    from: 'runs',
  },
  'event_sync.distinct_records': {
    kind: 'counter',
    unit: '{record}',
    description: 'Different records read, without those that a reading by changes only read again.',
    attributes: ['integration', 'resource'],
    from: 'runs',
  },
  'event_sync.read.io': {
    kind: 'counter',
    unit: 'By',
    description: 'Bytes read, after decompression.',
    attributes: ['integration', 'resource'],
    from: 'runs',
  },
  'event_sync.quarantined': {
    kind: 'counter',
    unit: '{record}',
    description: 'Records that could not be read.',
    attributes: ['integration'],
    from: 'runs',
  },
  'event_sync.changes': {
    kind: 'counter',
    unit: '{change}',
    description: 'Planned changes.',
    attributes: ['integration', 'content', 'action'],
    from: 'runs',
  },
  'event_sync.holds': {
    kind: 'counter',
    unit: '{hold}',
    description: 'Plans that a guard held.',
    attributes: ['integration', 'guard'],
    from: 'runs',
  },
  'event_sync.withheld': {
    kind: 'counter',
    unit: '{removal}',
    description: 'Removals that a guard withheld from a run.',
    attributes: ['integration'],
    from: 'runs',
  },
  'event_sync.operations': {
    kind: 'counter',
    unit: '{operation}',
    description: 'Operations by outcome.',
    attributes: ['integration', 'result'],
    from: 'runs',
  },
  'event_sync.retries': {
    kind: 'counter',
    unit: '{retry}',
    description: 'Requests and reads that were retried.',
    attributes: ['integration', 'server.address'],
    from: 'runs',
  },
  'event_sync.wait.time': {
    kind: 'counter',
    unit: 's',
    description: 'Time spent waiting before a retry.',
    attributes: ['integration', 'server.address', 'retry'],
    from: 'runs',
  },
  'http.client.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Time until the head of an answer arrived.',
    attributes: [
      'integration',
      'http.request.method',
      'server.address',
      'server.port',
      'http.response.status_code',
      'error.type',
    ],
    labels: ['http.request.method', 'server.address', 'http.response.status_code'],
    bounds: REQUEST_SECONDS,
    from: 'runs',
  },
} as const satisfies Readonly<Record<string, Metric>>

export type MetricName = keyof typeof METRICS

/** Name of a metric that is measured by the process that makes the run. */
export type MeasuredName = {
  [Name in MetricName]: (typeof METRICS)[Name]['from'] extends 'runs' ? Name : never
}[MetricName]

/** Lists the metrics that come from runs, or those that come from the database. */
export function metricsFrom(from: 'runs'): readonly (readonly [MeasuredName, Metric])[]
export function metricsFrom(from: 'database'): readonly (readonly [MetricName, Metric])[]
export function metricsFrom(from: Metric['from']): readonly (readonly [string, Metric])[] {
  return Object.entries(METRICS).filter(([, metric]) => metric.from === from)
}

const SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['s', '_seconds'],
  ['By', '_bytes'],
])

/**
 * Returns the name of a metric at `/metrics`, which ends with its unit and, for a counter, with `_total`. A
 * collector of OpenTelemetry derives the same name.
 *
 * @example prometheusName('event_sync.read.io') === 'event_sync_read_io_bytes_total'
 */
export function prometheusName(name: MetricName): string {
  const { kind, unit } = METRICS[name]
  return `${name.replaceAll('.', '_')}${SUFFIXES.get(unit) ?? ''}${kind === 'counter' ? '_total' : ''}`
}

/** Returns the labels of a metric at `/metrics`. */
export function labelsOf({ attributes, labels = attributes }: Metric): readonly string[] {
  return labels.map(labelName)
}

/** Returns the name of the label for an attribute: `server_address` for `server.address`. */
export function labelName(attribute: string): string {
  return attribute.replaceAll('.', '_')
}
