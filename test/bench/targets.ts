import type { Measurement } from './measurement.ts'
import { show } from './tables.ts'

/** A target for a measurement, and the result: met or missed. */
export interface Judgement {
  readonly target: string
  /** Number of registrants of the measurement. */
  readonly registrants: number
  readonly seen: string
  readonly met: boolean
}

interface Target {
  readonly target: string
  readonly tables: readonly string[]
  /** The line of the table to which the target applies; default: all lines. */
  readonly what?: string
  readonly figure: string
  /** True if the limit is for a ratio: the value at this size divided by the value at a tenth of the size. */
  readonly isOfTenth?: true
  readonly most: number
}

const COMMANDS = ['extract and stage', 'runs', 'audit pack']

/**
 * Seconds and multiples are the CPU time of command and server together. Values that are compared with COPY
 * are elapsed time, because a single step of a run has no process of its own.
 */
const TARGETS: readonly Target[] = [
  ...Object.entries({
    'first run': 0.9,
    'unchanged run': 0.2,
    'unchanged run, again': 0.12,
    '1 % changed': 0.3,
  }).map(
    ([what, most]): Target => ({
      target: `${what}, 100,000: ${most} times dlt`,
      tables: ['run beside peers'],
      what,
      figure: 'timesDlt',
      most,
    }),
  ),
  { target: '--version: 0.15 s', tables: ['start'], figure: 'versionCpuSeconds', most: 0.15 },
  {
    target: 'run, up to its database: 0.15 s',
    tables: ['start'],
    figure: 'beforeDatabaseCpuSeconds',
    most: 0.15,
  },
  { target: 'npm start: 6 s', tables: ['start'], figure: 'demoCpuSeconds', most: 6 },
  {
    target: 'unchanged run, small event, PostgreSQL: 0.8 s',
    tables: ['small event, unchanged'],
    what: 'PostgreSQL',
    figure: 'cpuSeconds',
    most: 0.8,
  },
  {
    target: 'unchanged run, small event, PGlite: 1.5 s',
    tables: ['small event, unchanged'],
    what: 'PGlite',
    figure: 'cpuSeconds',
    most: 1.5,
  },
  {
    target: 'unchanged run, small event: 4 KB of pack',
    tables: ['small event, unchanged'],
    figure: 'packBytes',
    most: 4_096,
  },
  {
    target: 'unchanged run, small event: 3 KB of rows',
    tables: ['small event, unchanged'],
    figure: 'databaseBytes',
    most: 3_072,
  },
  {
    target: 'unchanged run, tiny event, in a worker: 0.2 s',
    tables: ['tiny event, unchanged'],
    figure: 'cpuSeconds',
    most: 0.2,
  },
  {
    target: 'a command for one of 5,000 integrations: 0.2 s over one integration',
    tables: ['many integrations'],
    what: 'runs of one of 5,000',
    figure: 'overOneCpuSeconds',
    most: 0.2,
  },
  {
    target: 'schedule, nothing changed, 1,000 integrations: 0.3 s',
    tables: ['many integrations'],
    what: 'schedule of 1,000',
    figure: 'cpuSeconds',
    most: 0.3,
  },
  {
    target: 'unchanged run, tiny event, 1,000,000 runs in the ledger: 1.1 times an empty one',
    tables: ['tiny event, unchanged, in a large ledger'],
    figure: 'timesEmpty',
    most: 1.1,
  },
  {
    target: 'any query, view or command about one integration, 1,000,000 runs in the ledger: 0.2 s',
    tables: ['answers about one integration, in a large ledger'],
    figure: 'slowestSeconds',
    most: 0.2,
  },
  {
    target: 'two years hourly, unchanged, one integration: 80 MB of files',
    tables: ['two years hourly, unchanged'],
    figure: 'fileMb',
    most: 80,
  },
  {
    target: 'two years hourly, unchanged, one integration: 60 MB of rows',
    tables: ['two years hourly, unchanged'],
    figure: 'rowMb',
    most: 60,
  },
  {
    target: 'extract and stage, 1,000,000: 2 times COPY',
    tables: ['extract and stage'],
    figure: 'timesCopy',
    most: 2,
  },
  {
    target: 'requests for registrants in pages of 1000: one beside (101 for 100,000)',
    tables: ['extract and stage'],
    figure: 'requestsBesidePages',
    most: 1,
  },
  {
    target: 'Source A, 100,000: 1.3 times Source B',
    tables: ['Source A beside B'],
    figure: 'timesB',
    most: 1.3,
  },
  { target: 'peak memory: 100 MB over idle', tables: COMMANDS, figure: 'overIdleMb', most: 100 },
  {
    target: 'peak memory over idle: as at a tenth, within a tenth',
    tables: COMMANDS,
    figure: 'overIdleMb',
    isOfTenth: true,
    most: 1.1,
  },
]

/**
 * Compares the medians at the largest size of each table with the targets. Targets without a measurement are
 * left out.
 */
export function judge(measurements: readonly Measurement[]): readonly Judgement[] {
  return TARGETS.flatMap(({ target, tables, what, figure, isOfTenth, most }) => {
    const lines = measurements.filter(
      (line) => tables.includes(line.table) && (what ?? line.what) === line.what,
    )
    const registrants = Math.max(...lines.map((line) => line.registrants))
    return lines.flatMap((line): readonly Judgement[] => {
      const value = line.values[figure]
      if (line.registrants !== registrants || value === undefined) return []
      const tenth = lines.find((other) => other.what === line.what && other.registrants * 10 === registrants)
      const divisor = isOfTenth ? tenth?.values[figure] : 1
      if (divisor === undefined) return []
      const seen = value / divisor
      return [{ target, registrants, seen: `${show(seen)} (${line.what})`, met: seen <= most }]
    })
  })
}
