/**
 * Measures the commands of the product and compares the results with targets. The benchmark starts its own
 * PostgreSQL, and the source runs in another process.
 *
 * `npm run bench [-- --sizes 10000,100000,1000000 --rounds 3 --only stage,runs,…]` prints tables of medians,
 * and adds each measurement to `results.jsonl`. `--publish` writes the comparison with peers into `README.md`. The exit code is 1 only if a measured command failed. Peak
 * memory and CPU times are available only on Linux.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toTable } from '../../pipeline/commands/io.ts'
import { startPostgres } from '../support/postgres.ts'
import { measureFleet } from './fleet.ts'
import type { Measure, Measurement } from './measurement.ts'
import { measurePeers, withoutPeers } from './peers.ts'
import { publish } from './publish.ts'
import { startRegistrants } from './registrants.ts'
import { appendResults, circumstances, medians } from './results.ts'
import { measureEmbedded, measureHttp, measureRuns, measureSources } from './runs.ts'
import { measureLedger, measureSmall, measureWorker } from './small.ts'
import { measureStage } from './stage.ts'
import { measureStart } from './start.ts'
import { toTables } from './tables.ts'
import { judge } from './targets.ts'
import { measureYears } from './years.ts'

interface Entry {
  readonly measure: Measure
  /** Largest number of registrants for which this benchmark is run; default: all sizes. */
  readonly most?: number
  /** True if this benchmark has only one size and ignores `--sizes`. */
  readonly isOfOneSize?: true
  /**
   * Names the program that is missing on this machine to run this benchmark; returns null if nothing is
   * missing.
   */
  readonly missing?: () => string | null
}

const MEASURES: Readonly<Record<string, Entry>> = {
  start: { measure: measureStart, isOfOneSize: true },
  small: { measure: measureSmall, isOfOneSize: true },
  worker: { measure: measureWorker, isOfOneSize: true },
  fleet: { measure: measureFleet, isOfOneSize: true },
  years: { measure: measureYears, isOfOneSize: true },
  ledger: { measure: measureLedger, most: 100_000 },
  stage: { measure: measureStage },
  peers: { measure: measurePeers, most: 100_000, missing: withoutPeers },
  runs: { measure: measureRuns },
  http: { measure: measureHttp, most: 100_000 },
  embedded: { measure: measureEmbedded, most: 100_000 },
  sources: { measure: measureSources, most: 100_000 },
}

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '10000,100000,1000000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: Object.keys(MEASURES).join(',') },
    publish: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(`npm run bench -- [--sizes 10000,100000] [--rounds 3] [--only ${Object.keys(MEASURES).join(',')}] [--publish]
test/bench/README.md says what each of them measures`)
  process.exit()
}
const sizes = values.sizes.split(',').map(Number)
const rounds = Number(values.rounds)
const only = values.only.split(',')
if ([...sizes, rounds].some((number) => !Number.isSafeInteger(number) || number < 1)) {
  throw new Error('--sizes and --rounds take whole numbers from 1 on')
}
const unknown = only.filter((name) => MEASURES[name] === undefined)
if (unknown.length > 0) throw new Error(`--only: there is no ${unknown.join(', ')}`)

const leftOut = only.flatMap((name) => {
  const missing = MEASURES[name]?.missing?.() ?? null
  return missing === null ? [] : [{ name, missing }]
})

const folder = mkdtempSync(join(tmpdir(), 'event-sync-bench-'))
// A server with default settings, so that its data would survive a crash of the machine.
const postgres = await startPostgres([])
const where = await circumstances(postgres.url)
const measurements: Measurement[] = []
const failures: string[] = []
let taken = 0

/** Runs one benchmark; if it fails, the other benchmarks still run. */
async function take(name: string, round: number, work: (folder: string) => Promise<readonly Measurement[]>) {
  taken += 1
  const own = join(folder, String(taken))
  mkdirSync(own)
  const started = performance.now()
  try {
    const measured = await work(own)
    measurements.push(...measured)
    appendResults(where, round, measured)
  } catch (error) {
    failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
  rmSync(own, { recursive: true, force: true })
  console.error(`${name}, round ${round}: ${((performance.now() - started) / 1000).toFixed(0)} s`)
}

try {
  for (const size of sizes) {
    const chosen = Object.entries(MEASURES).filter(
      ([name, { most = size, isOfOneSize = false }]) =>
        only.includes(name) &&
        leftOut.every((left) => left.name !== name) &&
        size <= most &&
        (!isOfOneSize || size === sizes[0]),
    )
    if (chosen.length === 0) continue
    const source = await startRegistrants(size, 'pages')
    try {
      for (let round = 1; round <= rounds; round += 1) {
        for (const [name, { measure }] of chosen) {
          await take(`${name}, ${size} registrants`, round, (own) =>
            measure({ folder: own, postgresUrl: postgres.url, source }),
          )
        }
      }
    } finally {
      await source.stop()
    }
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

const { machine } = where
const middle = medians(measurements)
console.log(
  `${machine.cpu}, ${machine.cores} cores, ${machine.memoryMb} MB; Node ${machine.node}, PostgreSQL ${machine.postgres}, ${machine.system}`,
)
console.log(`${where.date}, commit ${where.commit}; medians of ${rounds}`)
console.log(`\n${toTables(middle)}`)
const judgements = judge(middle).map(({ target, registrants, seen, met }) => [
  met ? 'met' : 'NOT MET',
  target,
  registrants.toLocaleString('en'),
  seen,
])
for (const { name, missing } of leftOut) judgements.push(['left out', name, '', missing])
console.log(`targets\n${toTable(['', 'target', 'registrants', 'measured'], judgements)}`)
for (const failure of failures) console.error(failure)
if (values.publish && failures.length === 0) publish(where, rounds, middle)
process.exitCode = failures.length === 0 ? 0 : 1
