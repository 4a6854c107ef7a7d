import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../../sql/database.ts'
import type { Stage } from '../../harness/seeds.ts'
import { makeTally } from '../../harness/tally.ts'
import { openEngine } from '../../support/engines.ts'
import { openTrials } from './trial.ts'

let database: Database
let trials: Stage
beforeAll(async () => {
  database = await openEngine('pglite')
  trials = await openTrials(database)
})
afterAll(async () => {
  await trials.close()
  await database.close()
})

const SEEDS = [5001, 5002]
const cases = (['a', 'b'] as const).flatMap((type) => SEEDS.map((seed) => ({ type, seed })))

// This test uses only a few seeds; `node test/proofs/model/run.ts` runs the full test.
test.each(cases)(
  'runs with the random records of source $type and seed $seed have the results that the model expects',
  async ({ type, seed }) => {
    expect(await trials.tryOut(type, seed, makeTally())).toEqual([])
  },
)
