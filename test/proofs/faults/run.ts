/**
 * Syncs events from a source with random faults into a database that already has these events. Compares each
 * run with the expected result of the worst of its faults.
 *
 * `node test/proofs/faults/run.ts [--runs 640] [--from N] [--seed N] [--engine pglite|postgres]` exits with 1
 * if there is any difference.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEngine } from '../../harness/engine.ts'
import { rowsOf } from './compare.ts'
import { differencesOf } from './judge.ts'
import { allKinds, programmeOf } from './programme.ts'
import { leftTables } from './snapshot.ts'
import { openStage } from './stage.ts'
import { expectedOf } from './table.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '640' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string' },
    engine: { type: 'string', default: 'pglite' },
  },
})
const isReplay = values.seed !== undefined
const from = Number(values.seed ?? values.from)
const runs = isReplay ? 1 : Number(values.runs)
/**
 * With at least this many runs, each kind of fault must be drawn in 20 runs. A fault may be drawn but not
 * occur, if another fault ends the run first.
 */
const ENOUGH_RUNS = 640
const ENOUGH = 20
/**
 * Matches the text of a certificate for which a second reading found records that the first reading had
 * missed.
 */
const BROUGHT = /^a second reading found/
/**
 * After this many runs with faults, a run without faults follows. The run without faults must correct all
 * differences.
 */
const HEAL_EVERY = 5

const engine = await startEngine(values.engine === 'postgres' ? 'postgres' : 'pglite')
const { database } = engine
const output = mkdtempSync(join(tmpdir(), 'event-sync-faults-'))
const tally = new Map<string, Record<string, number>>(allKinds.map((kind) => [kind, { played: 0, cast: 0 }]))
const stage = openStage(database, output)
const startedMs = performance.now()
let different = 0
let confirmed = 0
let brought = 0
try {
  for (let seed = from; seed < from + runs; seed += 1) {
    const { type, eventSeed, casts } = programmeOf(seed)
    const rehearsal = await stage.rehearse(type, eventSeed)
    const outcome = expectedOf(type, casts)
    const run = await stage.perform(rehearsal, casts, { heal: outcome === 'late' || seed % HEAL_EVERY === 0 })
    if (run.report.status === 'finished') {
      const readings = rowsOf(run.snapshot, 'sync.certificates').filter((row) => row.run_id === 'run 2')
      confirmed += readings.filter((row) => row.confirmed === true).length
      brought += readings.filter((row) => BROUGHT.test(String(row.detail))).length
    }
    const differences = [
      ...differencesOf(rehearsal, run),
      ...(await leftTables(engine.database)).map((table) => `left behind: ${table}`),
    ]
    for (const cast of casts) {
      const counts = tally.get(cast.fault.kind) ?? {}
      counts.cast = (counts.cast ?? 0) + 1
      if ((run.plays.get(cast) ?? 0) > 0) counts.played = (counts.played ?? 0) + 1
      counts[outcome] = (counts[outcome] ?? 0) + 1
    }
    if (differences.length > 0) different += 1
    if (differences.length > 0 || isReplay) {
      console.log(`seed ${seed}: source ${type}, event ${eventSeed}, expected ${outcome}, exit ${run.code}`)
      for (const { fault, place, fromPage } of casts) {
        console.log(`  ${place}, from page ${fromPage}: ${fault.name}`)
      }
      if (isReplay && run.report.error !== undefined) console.log(run.report.error)
      for (const difference of differences) console.log(`  DIFFERENT ${difference}`)
    }
    if ((seed - from + 1) % 100 === 0) console.log(`${seed - from + 1} runs, ${different} different`)
  }
} finally {
  await stage.close()
  await engine.close()
  rmSync(output, { recursive: true, force: true })
}

if (!isReplay) {
  for (const [kind, { played = 0, cast = 0, ...outcomes }] of tally) {
    const of = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`)
    console.log(`${String(cast).padStart(4)} ${kind} (played ${played}): in runs ${of.join(', ')}`)
  }
}
const least = Math.min(...[...tally.values()].map(({ cast = 0 }) => cast))
console.log(
  `${confirmed} readings were confirmed by a second one, which brought what the first had missed in ${brought}`,
)
const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
console.log(`${runs} runs, ${different} different, least ${least} of a kind, ${seconds} s`)
const isEnough = runs < ENOUGH_RUNS || (least >= ENOUGH && brought > 0)
process.exitCode = different > 0 || !isEnough ? 1 : 0
