import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRuns } from '../../loaders/ledger/ledger.ts'
import { exportFolder } from '../../loaders/verify/found-manifest.ts'
import { endOfRun } from '../../pipeline/inspect/state.ts'
import { exportRun } from '../../pipeline/packs/export.ts'
import { openPlace, sourceAt } from '../harness/place.ts'
import { startSampleSourceA } from '../harness/sample-source/a.ts'
import { useFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import { statesOfA } from '../upgrade/story.ts'
import { testEnvironment } from './extract/support.ts'
import { syncToPlatform } from './sync-to-platform.ts'

/** The files of a signed pack in the order in which a run writes them. */
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
  'details.json',
  'SHA256SUMS',
  'manifest.sig',
  'manifest.json',
]
const RUN = '01ffffff-0000-7000-8000-000000000001'
const SIGNING_KEY = generateKeyPairSync('ed25519')
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()
const AUDIT = { signingKey: 'env:SIGNING_KEY' }

// Only Linux shows to which file a file handle belongs.
describe.runIf(process.platform === 'linux')('if the disk is full', () => {
  const database = useDatabase('pglite')
  const output = useFolder()
  let source: Awaited<ReturnType<typeof startSampleSourceA>>
  /** The file that cannot be written. The write of this file fails only once. */
  let tooMuch: string | null = null
  let restore: () => void
  beforeAll(async () => {
    source = await startSampleSourceA(statesOfA[0])
    const handle = await open(import.meta.filename, 'r')
    const prototype = Object.getPrototypeOf(handle)
    await handle.close()
    const { writeFile } = prototype
    prototype.writeFile = async function (this: FileHandle, ...given: unknown[]) {
      if (readlinkSync(`/proc/self/fd/${this.fd}`).endsWith(`/${tooMuch}.partial`)) {
        tooMuch = null
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      }
      return Reflect.apply(writeFile, this, given)
    }
    restore = () => Object.assign(prototype, { writeFile })
  })
  afterAll(async () => {
    restore()
    await source.close()
  })

  const folder = (run = RUN) => join(output(), 'summit', run)
  const contentOf = (path: string) =>
    Object.fromEntries(
      readdirSync(path).map((name) => [name, readFileSync(join(path, name)).toString('base64')]),
    )

  function sync(runId?: string) {
    return syncToPlatform(
      {
        database: database(),
        sourceUrl: source.url,
        output: output(),
        audit: AUDIT,
        variables: { SIGNING_KEY },
      },
      { runId },
    )
  }

  const placeOf = () =>
    openPlace({
      database: database(),
      output: output(),
      config: { audit: AUDIT },
      env: { SIGNING_KEY },
      environment: testEnvironment(),
      integration: { id: 'summit', source: sourceAt('a', source.url) },
    })

  async function exportAgain(run: string): Promise<string> {
    const [record] = await findRuns(database().kysely, { runId: run })
    if (record === undefined) throw new Error('there is no such run')
    const { context } = placeOf()
    return exportRun(context, record)
  }

  test('if any file cannot be written, the run fails, says so and leaves no partial file; the next run finishes it', async () => {
    for (const [place, name] of FILES.entries()) {
      tooMuch = name
      const { code, last } = await sync(place === 0 ? RUN : undefined)
      expect([name, code]).toEqual([name, 1])
      expect(last.run).toBe(RUN)
      expect(last.error).toContain(`${name} cannot be written: the disk is full (ENOSPC)`)
      expect(last.error).toMatch(/\nplatform untouched; the next run /)
      // The command `status` must report the same error, and must not name a pack that is missing.
      const [record] = await findRuns(database().kysely, { runId: RUN })
      if (record === undefined) throw new Error('there is no such run')
      const { context } = placeOf()
      expect(endOfRun(context, record, new Set())).toMatchObject({
        reason: expect.stringMatching(
          /cannot be written: the disk is full .*; `event-sync run summit` finishes it first$/,
        ),
      })
      expect(last.output).toBeNull()
      // All files that were written earlier are complete, and no partial file and no manifest exists.
      expect(readdirSync(folder()).sort()).toEqual(FILES.slice(0, place).sort())
    }
    const { code, reports } = await sync()
    expect([code, reports.map(({ status }) => status)]).toEqual([0, ['finished', 'finished']])
    expect(readdirSync(folder()).sort()).toEqual([...FILES].sort())
  })

  test('if a file cannot be written, export fails and leaves the pack unchanged; with free space it writes the same bytes', async () => {
    const { code, last } = await sync()
    expect(code).toBe(0)
    const run = last.run ?? ''
    const whole = contentOf(folder(run))
    expect(Object.keys(whole).sort()).toEqual([...FILES].sort())
    for (const name of FILES.slice(2)) {
      tooMuch = name
      await expect(exportAgain(run)).rejects.toThrow(`${name} cannot be written: the disk is full (ENOSPC)`)
      expect(contentOf(folder(run))).toEqual(whole)
      expect(existsSync(exportFolder(folder(run)))).toBe(false)
    }
    rmSync(folder(run), { recursive: true })
    await exportAgain(run)
    expect(contentOf(folder(run))).toEqual(whole)
  })
})
