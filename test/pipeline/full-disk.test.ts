import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRuns } from '../../loaders/ledger.ts'
import { loadConfig } from '../../pipeline/config.ts'
import { startSampleSourceA } from '../../pipeline/demo/sample-source-a.ts'
import { exportRun } from '../../pipeline/export.ts'
import { silentProgress } from '../../pipeline/progress.ts'
import { useFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import { statesOfA } from '../upgrade/story.ts'
import { testEnvironment } from './extract/support.ts'
import { syncToPlatform } from './sync-to-platform.ts'

// Under the temporary name of a file stands a link to /dev/full, a disk without room.
const hasFullDisk = existsSync('/dev/full')

/** The files of a signed pack in the order in which they are written. */
const FILES = [
  'operations.jsonl',
  'agenda.csv',
  'attendees.csv',
  'speakers.csv',
  'decisions.csv',
  'changes.csv',
  'certificates.csv',
  'reconciliation.csv',
  'load_results.csv',
  'datapackage.json',
  'README.txt',
  'report.html',
  'SHA256SUMS',
  'manifest.sig',
  'manifest.json',
]
const RUN = '01ffffff-0000-7000-8000-000000000001'
const SIGNING_KEY = generateKeyPairSync('ed25519')
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()
const AUDIT = { signingKey: 'env:SIGNING_KEY' }

describe.runIf(hasFullDisk)('where the disk is full', () => {
  const database = useDatabase('pglite')
  const output = useFolder()
  let source: Awaited<ReturnType<typeof startSampleSourceA>>
  beforeAll(async () => {
    source = await startSampleSourceA(statesOfA[0])
  })
  afterAll(() => source.close())

  const folder = (run = RUN) => join(output(), 'summit', run)
  const contentOf = (path: string) =>
    Object.fromEntries(
      readdirSync(path).map((name) => [name, readFileSync(join(path, name)).toString('base64')]),
    )

  function fill(path: string, name: string): void {
    mkdirSync(path, { recursive: true })
    symlinkSync('/dev/full', join(path, `${name}.partial`))
  }

  function sync(runId?: string) {
    return syncToPlatform(
      {
        database: database(),
        sourceUrl: source.url,
        platform: { url: '', token: 'unused', eventId: '' },
        output: output(),
        integration: { platform: { type: 'jsonl' } },
        audit: AUDIT,
        variables: { SIGNING_KEY },
      },
      { runId },
    )
  }

  /** @param written told of each file that is there */
  async function exportAgain(run: string, written: () => void = () => undefined): Promise<string> {
    const env = { SIGNING_KEY }
    const integration = {
      id: 'summit',
      source: { type: 'a', url: source.url, eventId: '4242' },
      platform: { type: 'jsonl' },
    }
    const config = loadConfig('event-sync.yaml', {
      env,
      readFile: () => JSON.stringify({ audit: AUDIT, integrations: [integration] }),
    })
    const [record] = await findRuns(database().kysely, { runId: run })
    if (record === undefined) throw new Error('there is no such run')
    const context = {
      config,
      database: database(),
      environment: testEnvironment(),
      secrets: { env, readFile: () => '', configFolder: output() },
      outputFolder: output(),
      progress: { ...silentProgress, at: written },
    }
    return exportRun(context, record)
  }

  test('a run fails at whichever file, says so, leaves no half pack, and the next one finishes it', async () => {
    for (const [place, name] of FILES.entries()) {
      fill(folder(), name)
      const { code, last } = await sync(place === 0 ? RUN : undefined)
      expect([name, code]).toEqual([name, 1])
      expect(last.run).toBe(RUN)
      expect(last.error).toContain(`${name} cannot be written: the disk is full (ENOSPC)`)
      expect(last.error).toMatch(/\n(?:platform (?:possibly )?touched; the next run )/)
      // What was written before is there, whole; nothing half, and no manifest.
      expect(readdirSync(folder()).sort()).toEqual(FILES.slice(0, place).sort())
    }
    const { code, reports } = await sync()
    expect([code, reports.map(({ status }) => status)]).toEqual([0, ['finished', 'finished']])
    expect(readdirSync(folder()).sort()).toEqual([...FILES].sort())
  })

  test('an export fails likewise, leaves the pack as it is and nothing beside it; with room again, it has the same bytes', async () => {
    const { code, last } = await sync()
    expect(code).toBe(0)
    const run = last.run ?? ''
    const whole = contentOf(folder(run))
    expect(Object.keys(whole).sort()).toEqual([...FILES].sort())
    for (const name of FILES.slice(2)) {
      let isFull = false
      const export_ = exportAgain(run, () => {
        if (!isFull) fill(`${folder(run)}.export`, name)
        isFull = true
      })
      await expect(export_).rejects.toThrow(`${name} cannot be written: the disk is full (ENOSPC)`)
      expect(contentOf(folder(run))).toEqual(whole)
      expect(existsSync(`${folder(run)}.export`)).toBe(false)
    }
    rmSync(folder(run), { recursive: true })
    await exportAgain(run)
    expect(contentOf(folder(run))).toEqual(whole)
  })
})
