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

interface Target {
  readonly target: string
  readonly tables: readonly string[]
  /** Line of the table; left out, all of them. */
  readonly what?: string
  readonly figure: string
  /** Whether the figure counts as a multiple of what it is at a tenth of the size, for each record or in all. */
  readonly grown?: 'in all' | 'per record'
  readonly isMet: (figure: number, values: Measurement['values']) => boolean
}

const STAGE = ['extract and stage']
const COMMANDS = [...STAGE, 'runs', 'audit pack']
const most = (limit: number) => (figure: number) => figure <= limit
const perRecord = { target: 'time per record: at most 1.2 times that of a tenth', isMet: most(1.2) }
const small = { tables: ['small event, unchanged'] }
const unchanged = { tables: ['runs'], what: 'unchanged run' }

const TARGETS: readonly Target[] = [
  {
    target: 'extract and stage: at most 2 times COPY, the two steps',
    tables: STAGE,
    figure: 'timesCopy',
    isMet: most(2),
  },
  {
    target: 'extract and stage: at most 2 times COPY, until readers see it',
    tables: STAGE,
    figure: 'publishedTimesCopy',
    isMet: most(2),
  },
  {
    target: 'peak memory: at most 160 MB over idle',
    tables: COMMANDS,
    figure: 'overIdleMb',
    isMet: most(160),
  },
  {
    target: 'peak memory over idle: at most 1.1 times that of a tenth',
    tables: COMMANDS,
    figure: 'overIdleMb',
    grown: 'in all',
    isMet: most(1.1),
  },
  {
    target: 'PGlite, 100,000: at most 1,300 MB in all',
    tables: ['PGlite'],
    figure: 'peakMb',
    isMet: most(1300),
  },
  {
    target: 'unchanged run: no row written to staging',
    ...unchanged,
    figure: 'stagingRowsWritten',
    isMet: most(0),
  },
  {
    target: 'unchanged run without the pack: at most 2 times extract',
    ...unchanged,
    figure: 'withoutPackTimesExtract',
    isMet: most(2),
  },
  {
    target: 'unchanged run, small event: at most 0.8 s of processor time on PostgreSQL',
    ...small,
    what: 'PostgreSQL',
    figure: 'cpuSeconds',
    isMet: most(0.8),
  },
  {
    target: 'unchanged run, small event: at most 1.5 s of processor time on PGlite',
    ...small,
    what: 'PGlite',
    figure: 'cpuSeconds',
    isMet: most(1.5),
  },
  {
    target: 'unchanged run, small event: at most 4 KB of pack',
    ...small,
    figure: 'packBytes',
    isMet: most(4_096),
  },
  {
    target: 'unchanged run, small event: at most 3 KB of rows',
    ...small,
    figure: 'databaseBytes',
    isMet: most(3_072),
  },
  {
    target: 'Source A: at most 1.3 times Source B',
    tables: ['Source A beside B'],
    figure: 'timesB',
    isMet: most(1.3),
  },
  {
    target: 'export: at most 100 MB over idle',
    tables: ['audit pack'],
    figure: 'overIdleMb',
    isMet: most(100),
  },
  {
    target: 'pack of a million rows: at least 100,000 rows/s',
    tables: ['audit pack'],
    figure: 'rowsPerSecond',
    isMet: (figure, { rows = 0 }) => rows < 1_000_000 || figure >= 100_000,
  },
  { ...perRecord, tables: STAGE, figure: 'stagedSeconds', grown: 'per record' },
  { ...perRecord, tables: ['transform and plan'], figure: 'seconds', grown: 'per record' },
  { ...perRecord, tables: ['runs'], figure: 'runSeconds', grown: 'per record' },
]

/** Judges medians at the largest size of each table; what was not measured is left out. */
export function judge(measurements: readonly Measurement[]): readonly Verdict[] {
  return TARGETS.flatMap(({ target, tables, what, figure, grown, isMet }) => {
    const lines = measurements.filter(
      (line) => tables.includes(line.table) && (what ?? line.what) === line.what,
    )
    const registrants = Math.max(...lines.map((line) => line.registrants))
    return lines.flatMap((line): readonly Verdict[] => {
      const value = line.values[figure]
      if (line.registrants !== registrants || value === undefined) return []
      const tenth = lines.find((other) => other.what === line.what && other.registrants * 10 === registrants)
      const before = tenth?.values[figure]
      if (grown !== undefined && before === undefined) return []
      const divisor = grown === undefined ? 1 : (before ?? 1) * (grown === 'in all' ? 1 : 10)
      const seen = value / divisor
      return [{ target, registrants, seen: `${show(seen)} (${line.what})`, met: isMet(seen, line.values) }]
    })
  })
}
