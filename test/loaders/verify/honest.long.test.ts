import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { SamplePlatform } from '../../harness/sample-platform/start.ts'
import { usePlatforms } from '../../harness/sample-platform/use-platform.ts'
import { startSampleSourceA } from '../../harness/sample-source/a.ts'
import { type PlatformSync, syncToPlatform } from '../../pipeline/sync-to-platform.ts'
import { useFolder } from '../../support/folder.ts'
import { emptyTables } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'
import { statesOfA } from '../../upgrade/story.ts'
import { packsAt } from './tamper.ts'

// Packs that nobody touched, whatever happened to their runs: `verify` finds nothing. `npm run histories` has more.

const database = useDatabase('pglite')
const folder = useFolder()
const platforms = usePlatforms()
let source: Awaited<ReturnType<typeof startSampleSourceA>>
let platform: SamplePlatform

beforeEach(async () => {
  await emptyTables(database().kysely)
  source = await startSampleSourceA(statesOfA[0])
  platform = await platforms.start({ pageSize: 2 })
  return () => source.close()
})

const jsonl = { platform: { type: 'jsonl' } }
const run = (more: Partial<PlatformSync> = {}, options: Parameters<typeof syncToPlatform>[1] = {}) =>
  syncToPlatform(
    { database: database(), sourceUrl: source.url, platform, output: folder(), ...more },
    options,
  )

/** What is found in the packs of the integration, and how many there are. */
async function found(): Promise<{ readonly packs: number; readonly findings: readonly string[] }> {
  const packs = packsAt(join(folder(), 'summit'))
  const all = packs.runs.flatMap((name, at) =>
    existsSync(join(packs.folder, name, 'manifest.json')) ? at : [],
  )
  const findings = await Promise.all(all.map((at) => packs.verify(at)))
  return { packs: all.length, findings: findings.flat() }
}

describe.each([
  ['jsonl', jsonl],
  ['http', {}],
] as const)('to %s', (_, integration) => {
  const sync = (options: Parameters<typeof syncToPlatform>[1] = {}, more: Partial<PlatformSync> = {}) =>
    run({ integration, ...more }, options)

  test('a new database goes on with the chain that stands on the disk', async () => {
    await sync()
    source.setData(statesOfA[1])
    await sync()
    await emptyTables(database().kysely)
    const { last } = await sync({ fresh: true })
    expect([last.status, last.error]).toEqual(['finished', undefined])
    await sync()
    expect(await found()).toEqual({ packs: 4, findings: [] })
  })

  test('a run that is bound to another source event, and one after a failure', async () => {
    await sync()
    const other = await startSampleSourceA(statesOfA[2])
    // A folder of nobody beside.
    mkdirSync(join(folder(), 'summit', 'notes'))
    await run({ integration, sourceUrl: other.url }, { rebind: true })
    await other.close()
    expect((await run({ integration, sourceUrl: other.url })).last.status).toBe('failed')
    await sync({ rebind: true })
    await sync({ command: 'plan' })
    await sync()
    expect(await found()).toEqual({ packs: 4, findings: [] })
  })

  test('runs that die at each point, and are gone on with or given up', async () => {
    const points = [
      'records committed',
      'decisions made',
      'plan stored',
      'apply begun',
      'operations sent',
      'plan applied',
      'pack written',
      'run finished',
    ]
    for (const [at, point] of points.entries()) {
      source.setData(statesOfA[at % 3] ?? statesOfA[0])
      let isSeen = false
      await sync(
        {},
        {
          told: (line) => {
            if (isSeen || !line.includes(point)) return
            isSeen = true
            throw new Error('dies here')
          },
        },
      )
      await sync()
    }
    const { packs, findings } = await found()
    expect(findings).toEqual([])
    expect(packs).toBeGreaterThanOrEqual(points.length)
  })

  test('contents, removals and settings of the pack that change from run to run', async () => {
    const settings: readonly (readonly [
      Readonly<Record<string, unknown>>,
      Readonly<Record<string, unknown>>,
    ])[] = [
      [{}, {}],
      [{ content: ['agenda'] }, { personalData: 'masked' }],
      [{ content: ['speakers', 'attendees'] }, { excel: true }],
      [{ removals: { action: 'keep' } }, {}],
      [{ removals: { minCount: 0, maxShare: 0 }, guards: { onHold: 'withholdRemovals' } }, {}],
      [{ content: ['attendees'] }, { personalData: 'masked', excel: true }],
      [{}, {}],
    ]
    for (const [at, [more, audit]] of settings.entries()) {
      source.setData(statesOfA[at % 3] ?? statesOfA[0])
      const { last } = await run({ integration: { ...integration, ...more }, audit })
      expect([last.status, last.error], `setting ${at}`).toEqual(['finished', undefined])
    }
    expect(await found()).toEqual({ packs: settings.length, findings: [] })
  })

  test('texts of every kind, ids that a spreadsheet could run, users without id, nothing at all', async () => {
    const nasty = [
      '=1+1',
      "'quoted'",
      '@all',
      'a\u2028b\u2029c',
      'CR\rLF\nCRLF\r\n',
      '"; \\ ;',
      '＝x',
      '\u{1F600}',
      '\uFEFFx',
    ]
    const users = nasty.map((text, at) => ({
      Id: at % 2 === 0 ? `${text}${at}` : undefined,
      FirstName: text,
      LastName: `${text}`,
      EmailAddress: `person${at}@people.example`,
      Bio: text,
    }))
    const sessions = nasty.map((text, at) => ({
      Id: `${text}-${at}`,
      Title: `${at} ${text}`,
      Description: text,
      TimeSlotId: 1,
      Speakers: users.map(({ Id }) => ({ Id })),
    }))
    const all = {
      ...statesOfA[0],
      Sessions: [...sessions, {}, { Id: 'x' }, { Id: 'x' }],
      Users: [...users, null, {}, users[0]],
    }
    for (const state of [all, statesOfA[0], { ...all, Users: [], Sessions: [] }, all]) {
      source.setData(state as never)
      const { last } = await sync()
      expect(['finished', 'held']).toContain(last.status)
    }
    const { packs, findings } = await found()
    expect(findings).toEqual([])
    expect(packs).toBeGreaterThanOrEqual(2)
  })
})
