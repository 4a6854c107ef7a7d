import { parseArgs } from 'node:util'
import type { Database } from '../../sql/database.ts'
import type { Difference } from './compare.ts'
import { startEngine } from './engine.ts'
import { makeTally, type Tally } from './tally.ts'

export type SourceType = 'a' | 'b'

/** Tests that run with one seed after the other, in one environment. */
export interface Stage {
  /** @param tell called with each event, if a single seed is replayed */
  tryOut(
    type: SourceType,
    seed: number,
    tally: Tally,
    tell?: (line: string) => void,
  ): Promise<readonly Difference[]>
  close(): Promise<void>
}

/**
 * Runs the test with each seed that the command line selects. Sets exit code 1 if product and model differ,
 * or if a required case occurred too seldom.
 *
 * @param defaults the default number of seeds for each source, and how often each case must occur by default
 */
export async function tryOutSeeds(
  defaults: { readonly seeds: string; readonly least: string },
  open: (database: Database) => Promise<Stage>,
): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: defaults.seeds },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      source: { type: 'string' },
      engine: { type: 'string', default: 'pglite' },
      least: { type: 'string', default: defaults.least },
    },
  })
  const sources = (['a', 'b'] as const).filter(
    (type) => values.source === undefined || values.source === type,
  )
  const isReplayed = values.seed !== undefined
  const first = Number(values.seed ?? values.from)
  const count = isReplayed ? 1 : Number(values.seeds)
  if (![first, count].every(Number.isSafeInteger) || sources.length === 0)
    throw new Error('see the head of this file')

  const tally = makeTally()
  const engine = await startEngine(values.engine === 'postgres' ? 'postgres' : 'pglite')
  const stage = await open(engine.database)
  let differing = 0
  try {
    for (let seed = first; seed < first + count; seed += 1) {
      for (const type of sources) {
        const found = await stage.tryOut(type, seed, tally, isReplayed ? console.log : undefined)
        if (found.length > 0) {
          differing += 1
          console.log(`source ${type}, seed ${seed}: ${found.length} differences`)
        }
        for (const { path, expected, actual } of found.slice(0, isReplayed ? 200 : 3))
          console.log(`${path}\n  expected ${JSON.stringify(expected)}\n  actual   ${JSON.stringify(actual)}`)
      }
    }
  } finally {
    await stage.close()
    await engine.close()
  }
  // With a single seed or a single source, not every required case can occur.
  const missed = !isReplayed && sources.length === 2 ? tally.missed(Number(values.least)) : []
  if (!isReplayed)
    for (const [name, times] of tally.table()) console.log(`${String(times).padStart(8)}  ${name}`)
  for (const [name, times] of missed) console.log(`too seldom: ${name}, ${times} times`)
  console.log(
    `${count} seeds of source ${sources.join(' and ')} on ${values.engine}: ${differing} differ, ${missed.length} cases too seldom`,
  )
  process.exitCode = differing === 0 && missed.length === 0 ? 0 : 1
}
