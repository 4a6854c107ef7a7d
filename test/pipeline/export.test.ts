import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Updateable } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { findRuns } from '../../loaders/ledger.ts'
import { configSchema } from '../../pipeline/config.ts'
import { startSampleSourceA } from '../../pipeline/demo/sample-source-a.ts'
import { exportRun } from '../../pipeline/export.ts'
import { productVersion } from '../../pipeline/package-root.ts'
import { silentProgress } from '../../pipeline/progress.ts'
import type { Tables } from '../../sql/tables.ts'
import { useFolder } from '../support/folder.ts'
import { emptyTables } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'
import { statesOfA } from '../upgrade/story.ts'
import { integrationOfA } from './commands/small-event.ts'
import { testEnvironment } from './extract/support.ts'
import { syncToPlatform } from './sync-to-platform.ts'

const database = useDatabase('pglite')
const folder = useFolder()
let runId = ''

beforeEach(async () => {
  await emptyTables(database().kysely)
  const source = await startSampleSourceA(statesOfA[0])
  const { code, last } = await syncToPlatform({
    database: database(),
    sourceUrl: source.url,
    platform: { url: '', token: 'unused', eventId: '' },
    output: folder(),
    integration: { platform: { type: 'jsonl' } },
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
  const context = {
    config: configSchema.parse({ integrations: [integrationOfA('summit', 'https://source-a.example')] }),
    database: database(),
    environment: testEnvironment(),
    secrets: { env: {}, readFile: () => '', configFolder: folder() },
    outputFolder: folder(),
    progress: silentProgress,
  }
  return exportRun(context, record)
}

/** Every file below a folder, with its bytes. */
const filesOf = (path: string) =>
  Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]))
const packs = () => readdirSync(join(folder(), 'summit')).sort()

test('a pack that is gone is there again with every byte, and nothing stands beside it', async () => {
  const pack = join(folder(), 'summit', runId)
  const before = filesOf(pack)
  rmSync(pack, { recursive: true })
  expect(await exported()).toBe(pack)
  expect(filesOf(pack)).toEqual(before)
  expect(packs()).toEqual([runId])
})

test('a pack of another version stays as it is, and the message names the two versions', async () => {
  const before = filesOf(join(folder(), 'summit', runId))
  await change({ product_version: '0.0.9' })
  await expect(exported()).rejects.toThrow(
    `the run is of event-content-sync 0.0.9, this is ${productVersion}, which writes other packs`,
  )
  expect(filesOf(join(folder(), 'summit', runId))).toEqual(before)
  expect(packs()).toEqual([runId, `${runId}.export`])
})

test('where the version is the same, the message says that the bytes are others', async () => {
  await change({ started_by: 'somebody else' })
  await expect(exported()).rejects.toThrow(
    /stays as it is: its manifest has another SHA-256; compare the two: /,
  )
})

test('a run without a pack has nothing to write again', async () => {
  await change({ manifest_sha256: null, status: 'failed' })
  await expect(exported()).rejects.toThrow(
    `run ${runId} of summit has no pack: its plan has not landed (failed)`,
  )
})
