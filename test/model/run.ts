/**
 * The model test: whole runs over random sources, each compared with a model of the rules that shares no code with
 * the product.
 *
 * `node test/model/run.ts --seeds 300 --engine pglite`; `--from N` begins elsewhere, `--source a` takes one source,
 * `--seed N` replays one and shows each difference with its records. Ends with exit code 1 where the product and the
 * model differ, or where a case of the closed list occurred fewer than `--least` times, 20 by default, which takes about
 * 120 seeds of both sources.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEngine } from './engine.ts'
import { startServer } from './serve.ts'
import { showDifference } from './show.ts'
import { makeTally } from './tally.ts'
import { tryOut } from './trial.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '300' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    source: { type: 'string' },
    engine: { type: 'string', default: 'pglite' },
    least: { type: 'string', default: '20' },
  },
})
const sources = (['a', 'b'] as const).filter((type) => values.source === undefined || values.source === type)
const replayed = values.seed === undefined ? null : Number(values.seed)
const first = replayed ?? Number(values.from)
const count = replayed === null ? Number(values.seeds) : 1
if (![first, count].every(Number.isSafeInteger) || sources.length === 0)
  throw new Error('see the head of this file')
/** Most differences of one seed that are shown; `--seed` shows more. */
const mostShown = replayed === null ? 3 : 200

const started = performance.now()
const tally = makeTally()
const engine = await startEngine(values.engine === 'postgres' ? 'postgres' : 'pglite')
const server = await startServer()
const output = mkdtempSync(join(tmpdir(), 'model-'))
let differences = 0
try {
  for (let seed = first; seed < first + count; seed += 1) {
    for (const type of sources) {
      const found = await tryOut({ type, seed, database: engine.database, server, output, tally })
      differences += found.length
      if (found.length === 0) continue
      console.log(`source ${type}, seed ${seed}: ${found.length} differences`)
      for (const difference of found.slice(0, mostShown)) console.log(showDifference(difference))
    }
    rmSync(output, { recursive: true, force: true })
  }
} finally {
  await server.close()
  await engine.close()
  rmSync(output, { recursive: true, force: true })
}
// One seed, or one source, cannot have every case.
const missed = replayed === null && sources.length === 2 ? tally.missed(Number(values.least)) : []
if (replayed === null)
  for (const [name, times] of tally.table()) console.log(`${String(times).padStart(8)}  ${name}`)
for (const [name, times] of missed) console.log(`too seldom: ${name}, ${times} times`)
const seconds = ((performance.now() - started) / 1000).toFixed(0)
console.log(
  `${count} seeds of source ${sources.join(' and ')} on ${values.engine}: ${differences} differences, ${missed.length} cases too seldom, ${seconds} s`,
)
process.exitCode = differences === 0 && missed.length === 0 ? 0 : 1
