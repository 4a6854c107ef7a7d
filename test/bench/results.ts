import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, totalmem } from 'node:os'
import { join } from 'node:path'
import { withClient } from '../support/postgres.ts'
import type { Measurement } from './measurement.ts'

const FILE = join(import.meta.dirname, './results.jsonl')

/** Machine, time and versions of a measurement: without these, its figures have no meaning. */
export interface Circumstances {
  /** Start of the measurements. */
  readonly date: string
  /** Null outside a repository. */
  readonly commit: string | null
  readonly machine: Readonly<Record<'cpu' | 'node' | 'postgres' | 'system', string>> & {
    readonly cores: number
    readonly memoryMb: number
    /** The system's load average of the minute before the measurement. */
    readonly load: number
  }
}

export async function circumstances(postgresUrl: string): Promise<Circumstances> {
  const { rows } = await withClient(postgresUrl, (client) =>
    client.query<{ server_version: string }>('show server_version'),
  )
  const [cpu] = cpus()
  return {
    date: new Date().toISOString(),
    commit:
      spawnSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).stdout?.trim() || null,
    machine: {
      cpu: cpu?.model ?? 'unknown',
      cores: cpus().length,
      memoryMb: Math.round(totalmem() / 1_000_000),
      load: loadavg()[0] ?? 0,
      node: process.version,
      postgres: rows[0]?.server_version ?? 'unknown',
      system: `${platform()} ${arch()}`,
    },
  }
}

/** Adds one line for each measurement to `results.jsonl`. */
export function appendResults(
  where: Circumstances,
  round: number,
  measurements: readonly Measurement[],
): void {
  const lines = measurements.map(({ values, ...measurement }) => {
    const rounded = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, Number(value.toPrecision(6))]),
    )
    return `${JSON.stringify({ ...where, round, ...measurement, values: rounded })}\n`
  })
  appendFileSync(FILE, lines.join(''))
}

/** Merges all rounds of a measurement into one measurement; each value is the median of the rounds. */
export function medians(measurements: readonly Measurement[]): readonly Measurement[] {
  const same = Map.groupBy(measurements, ({ table, what, registrants }) =>
    JSON.stringify([table, what, registrants]),
  )
  return [...same.values()].flatMap((rounds) => {
    const [first] = rounds
    if (first === undefined) return []
    const values = Object.keys(first.values).map((name) => [
      name,
      median(rounds.flatMap((round) => round.values[name] ?? [])),
    ])
    return [{ ...first, values: Object.fromEntries(values) }]
  })
}

/** Returns the median; if there are two middle values, the higher. */
function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
