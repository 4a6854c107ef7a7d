import type { Measurement } from './measurement.ts'
import { show } from './tables.ts'

/** A target, and whether what was measured meets it. */
export interface Verdict {
  readonly target: string
  /** Registrants with which it was measured; targets are set for a million, unless they say otherwise. */
  readonly registrants: number
  readonly seen: string
  readonly met: boolean
}

/** Figures of one table at one size. */
type Figures = readonly (readonly [what: string, value: number])[]

/** Judges medians; what was not measured is left out. */
export function judge(measurements: readonly Measurement[]): readonly Verdict[] {
  const largest = Math.max(...sizesOf(measurements, 'extract and stage', 'runs'))
  const figures = (name: string, registrants: number, ...tables: readonly string[]): Figures =>
    measurements
      .filter((line) => line.registrants === registrants && tables.includes(line.table))
      .flatMap(({ what, values }) => {
        const value = values[name]
        return value === undefined ? [] : [[what, value] as const]
      })
  const most = (target: string, limit: number, found: Figures, registrants = largest): readonly Verdict[] =>
    found.map(([what, value]) => ({
      target,
      registrants,
      seen: `${show(value)} (${what})`,
      met: value <= limit,
    }))
  /** As a multiple of what it is at a tenth of the size. */
  const grown = (name: string, ...tables: readonly string[]): Figures => {
    const before = new Map(figures(name, largest / 10, ...tables))
    return figures(name, largest, ...tables).flatMap(([what, value]) => {
      const then = before.get(what)
      return then === undefined ? [] : [[what, value / then] as const]
    })
  }
  const perRecord = (grownTime: Figures): Figures => grownTime.map(([what, times]) => [what, times / 10])
  const unchanged = (name: string) =>
    figures(name, largest, 'runs').filter(([what]) => what === 'unchanged run')
  const memory = ['extract and stage', 'runs', 'audit pack']

  return [
    ...most(
      'extract and stage: at most 2 times COPY, the two steps',
      2,
      figures('timesCopy', largest, 'extract and stage'),
    ),
    ...most(
      'extract and stage: at most 2 times COPY, until readers see it',
      2,
      figures('publishedTimesCopy', largest, 'extract and stage'),
    ),
    ...most('peak memory: at most 160 MB over idle', 160, highest(figures('overIdleMb', largest, ...memory))),
    ...most('peak memory over idle: at most 1.1 times that of a tenth', 1.1, grownHighest()),
    ...most('PGlite, 100,000: at most 1,300 MB in all', 1300, figures('peakMb', 100_000, 'PGlite'), 100_000),
    ...most('unchanged run: no row written to staging', 0, unchanged('stagingRowsWritten')),
    ...most(
      'unchanged run without the pack: at most 2 times extract',
      2,
      unchanged('withoutPackTimesExtract'),
    ),
    ...packVerdicts(),
    ...most(
      'pack, memory over idle: at most 1.1 times that of a tenth',
      1.1,
      grown('overIdleMb', 'audit pack'),
    ),
    ...most(
      'time per record: at most 1.2 times that of a tenth',
      1.2,
      perRecord([
        ...grown('stagedSeconds', 'extract and stage'),
        ...grown('seconds', 'transform and plan'),
        ...grown('runSeconds', 'runs'),
      ]),
    ),
    ...requestVerdicts(measurements),
  ]

  function grownHighest(): Figures {
    const now = highest(figures('overIdleMb', largest, ...memory))
    const then = highest(figures('overIdleMb', largest / 10, ...memory))
    return now.flatMap(([what, value]) => then.map(([, before]) => [what, value / before] as const))
  }

  /** The size whose pack has a million rows, or more: eleven for each registrant. */
  function packVerdicts(): readonly Verdict[] {
    const [registrants] = sizesOf(measurements, 'audit pack')
      .filter((size) => figures('rows', size, 'audit pack').some(([, rows]) => rows >= 1_000_000))
      .toSorted((one, other) => other - one)
    if (registrants === undefined) return []
    return figures('rowsPerSecond', registrants, 'audit pack').map(([what, value]) => ({
      target: 'pack of a million rows: at least 100,000 rows/s',
      registrants,
      seen: `${show(value)} (${what})`,
      met: value >= 100_000,
    }))
  }
}

function sizesOf(measurements: readonly Measurement[], ...tables: readonly string[]): readonly number[] {
  return measurements.filter(({ table }) => tables.includes(table)).map(({ registrants }) => registrants)
}

function highest(figures: Figures): Figures {
  return figures.toSorted(([, one], [, other]) => other - one).slice(0, 1)
}

/** Not one request more than the least, and none that the source had to refuse. */
function requestVerdicts(measurements: readonly Measurement[]): readonly Verdict[] {
  return measurements
    .filter(({ table }) => table === 'requests')
    .map(({ what, registrants, values: { requests = 0, leastRequests = 0, refused = 0 } }) => ({
      target: 'requests: the fewest that page size, end proof and overlap allow',
      registrants,
      seen: `${requests}, least ${leastRequests}, refused ${refused} (${what})`,
      met: requests <= leastRequests && refused === 0,
    }))
}
