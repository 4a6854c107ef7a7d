import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findUnknownPacks } from '../../../loaders/verify/gap.ts'
import { useFolder } from '../../support/folder.ts'
import { enterRun } from '../../support/runs.ts'
import { enterIntegration, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const database = useDatabase('postgres')
const folder = useFolder()
const RUNS = 50

test('the search for unknown packs does not read all runs of an integration', async () => {
  const { kysely } = database()
  await enterIntegration(kysely)
  for (let number = 1; number <= RUNS; number += 1) {
    await enterRun(kysely, number)
    mkdirSync(join(folder(), runId(number)))
  }
  const of = { integration_id: INTEGRATION, run_id: runId(RUNS) }
  await kysely.updateTable('sync.runs').set({ manifest_sha256: 'a hash' }).execute()
  await kysely
    .updateTable('sync.runs')
    .set({ status: 'applied', manifest_sha256: null })
    .where(({ and }) => and(of))
    .execute()
  let rows = 0
  const counting = kysely.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      rows += result.rows.length
      return result
    },
  })
  expect((await findUnknownPacks(counting, INTEGRATION, folder(), 0)).packs).toEqual([])
  // The run without a recorded pack, and the integration.
  expect(rows).toBeLessThan(3)
})
