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

// This test uses only one seed for each source; `node test/proofs/model/run.ts` runs the full test.
test.each([
  { type: 'a', seed: 5001 },
  { type: 'b', seed: 5001 },
] as const)(
  'runs with the random records of source $type and seed $seed have the results that the model expects',
  async ({ type, seed }) => {
    expect(await trials.tryOut(type, seed, makeTally())).toEqual([])
  },
)
