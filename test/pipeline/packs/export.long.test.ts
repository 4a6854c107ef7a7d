import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Updateable } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { findRuns } from '../../../loaders/ledger/ledger.ts'
import { exportRun } from '../../../pipeline/packs/export.ts'
import { productVersion } from '../../../pipeline/runtime/package-root.ts'
import type { Tables } from '../../../sql/tables.ts'
import { openPlace } from '../../harness/place.ts'
import { startSampleSourceA } from '../../harness/sample-source/a.ts'
import { useFolder } from '../../support/folder.ts'
import { emptyTables } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'
import { statesOfA } from '../../upgrade/story.ts'
import { integrationOfA } from '../commands/small-event.ts'
import { testEnvironment } from '../extract/support.ts'
import { syncToPlatform } from '../sync-to-platform.ts'

const database = useDatabase('pglite')
const folder = useFolder()
let runId = ''

beforeEach(async () => {
  await emptyTables(database().kysely)
  const source = await startSampleSourceA(statesOfA[0])
  const { code, last } = await syncToPlatform({
    database: database(),
    sourceUrl: source.url,
    output: folder(),
  })
  await source.close()
  expect([code, last.error]).toEqual([0, undefined])
  runId = last.run ?? ''
})

const change = (columns: Updateable<Tables['sync.runs']>) =>
  database().kysely.updateTable('sync.runs').set(columns).where('run_id', '=', runId).execute()

async function exported(): Promise<string> {
  const [record] = await findRuns(database().kysely, { runId })
  if (record === undefined) throw new Error('the run is not in the ledger')
  const { context } = openPlace({
    database: database(),
    output: folder(),
    environment: testEnvironment(),
    integration: integrationOfA('summit', 'https://source-a.example'),
  })
  return exportRun(context, record)
}

/** Returns every file in a folder with its content. */
const filesOf = (path: string) =>
  Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]))

test('if export would write other bytes into a pack, the pack stays unchanged, and the error says why', async () => {
  const before = filesOf(join(folder(), 'summit', runId))
  await change({ started_by: 'somebody else' })
  await expect(exported()).rejects.toThrow(
    /was not changed: its manifest has another SHA-256; the new one is in .*; compare the two, and report it$/,
  )
  await change({ product_version: '0.0.9' })
  await expect(exported()).rejects.toThrow(
    `the run is of event-content-sync 0.0.9, and this is ${productVersion}, which writes packs differently`,
  )
  expect(filesOf(join(folder(), 'summit', runId))).toEqual(before)
  expect(readdirSync(join(folder(), 'summit')).sort()).toEqual([`.${runId}.export`, runId, 'verify.py'])
  await change({ manifest_sha256: null, status: 'failed' })
  await expect(exported()).rejects.toThrow(
    `run ${runId} of summit has no pack: its plan was not applied (status: failed)`,
  )
})
