/**
 * The histories: sequences of commands of one integration over a source and a platform that change and misbehave, each
 * compared with a model of both.
 *
 * `node test/histories/run.ts --seeds 100 --engine pglite`; `--from N` begins elsewhere, `--source a` takes one source,
 * `--seed N` replays one and tells each command. Ends with exit code 1 where the product and the model differ, or where
 * a case of the closed list occurred fewer than `--least` times, 5 by default, which takes about 100 seeds of both
 * sources.
 */
import { parseArgs } from 'node:util'
import { startEngine } from '../model/engine.ts'
import { makeTally } from '../model/tally.ts'
import { openStage } from './stage.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    source: { type: 'string' },
    engine: { type: 'string', default: 'pglite' },
    least: { type: 'string', default: '5' },
  },
})
const sources = (['a', 'b'] as const).filter((type) => values.source === undefined || values.source === type)
const replayed = values.seed === undefined ? null : Number(values.seed)
const first = replayed ?? Number(values.from)
const count = replayed === null ? Number(values.seeds) : 1
if (![first, count].every(Number.isSafeInteger) || sources.length === 0)
  throw new Error('see the head of this file')

const started = performance.now()
const tally = makeTally()
const engine = await startEngine(values.engine === 'postgres' ? 'postgres' : 'pglite')
const stage = await openStage(engine.database)
let different = 0
try {
  for (let seed = first; seed < first + count; seed += 1) {
    for (const type of sources) {
      const lines: string[] = []
      const found = await stage.play(type, seed, tally, (line) => lines.push(line))
      if (found.length > 0) different += 1
      if (found.length === 0 && replayed === null) continue
      console.log(`source ${type}, seed ${seed}: ${found.length} differences`)
      if (replayed !== null) console.log(lines.map((line, index) => `${index + 1} ${line}`).join('\n'))
      for (const { step, path, expected, actual } of found.slice(0, replayed === null ? 4 : 50)) {
        console.log(
          `  command ${step}: ${path}\n    expected ${JSON.stringify(expected)}\n    actual   ${JSON.stringify(actual)}`,
        )
      }
    }
  }
} finally {
  await stage.close()
  await engine.close()
}
// One seed, or one source, cannot have every case.
const missed = replayed === null && sources.length === 2 ? tally.missed(Number(values.least)) : []
if (replayed === null)
  for (const [name, times] of tally.table()) console.log(`${String(times).padStart(8)}  ${name}`)
for (const [name, times] of missed) console.log(`too seldom: ${name}, ${times} times`)
const seconds = ((performance.now() - started) / 1000).toFixed(0)
console.log(
  `${count * sources.length} histories of source ${sources.join(' and ')} on ${values.engine}: ${different} differ, ${missed.length} cases too seldom, ${seconds} s`,
)
process.exitCode = different === 0 && missed.length === 0 ? 0 : 1
