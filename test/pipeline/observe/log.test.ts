import { beforeEach, expect, test } from 'vitest'
import { useFolder } from '../../support/folder.ts'
import { emptyTables } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'
import { type ScriptedSource, startScriptedSource } from '../commands/scripted-source.ts'
import { smallCounts, smallEvent } from '../commands/small-event.ts'
import { usePlatforms } from '../demo/sample-platform/use-platform.ts'
import { type Ended, type PlatformSync, syncToPlatform } from '../sync-to-platform.ts'

const database = useDatabase('pglite')
const output = useFolder()
const platforms = usePlatforms()
let source: ScriptedSource

beforeEach(async () => {
  await emptyTables(database().kysely)
  source = await startScriptedSource(structuredClone(smallEvent))
})

type Line = Readonly<Record<string, unknown>>

async function sync(
  more: Partial<PlatformSync> & Pick<PlatformSync, 'platform'>,
): Promise<Ended & { readonly lines: readonly Line[] }> {
  const ended = await syncToPlatform({
    database: database(),
    sourceUrl: source.url,
    output: output(),
    batchSize: 10,
    ...more,
  })
  const lines = ended.log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
  return { ...ended, lines }
}

const of = (lines: readonly Line[], message: string) => lines.filter(({ msg }) => msg === message)
const LEVELS = { info: 30, warn: 40, error: 50 }

test('every line names integration and run; steps, certificates, plan, batches and the end have their figures', async () => {
  const { lines, last } = await sync({ platform: await platforms.start({}) })
  const run = last.run
  expect(lines.filter((line) => line.integration !== 'summit' || line.run !== run)).toEqual([])
  expect(of(lines, 'run opened')).toMatchObject([{ command: 'run', isContinued: false, lastSuccessAt: null }])
  const ended = of(lines, 'step ended').map(({ step }) => step)
  expect(ended).toEqual(['extract', 'refresh', 'stage', 'transform', 'plan', 'apply', 'audit'])
  expect(of(lines, 'step').map(({ step }) => step)).toEqual(ended)
  expect(of(lines, 'certificate').find(({ resource }) => resource === 'users')).toMatchObject({
    level: LEVELS.info,
    certified: true,
    records: 4,
    faults: 0,
    end: 'overlap',
  })
  expect(of(lines, 'plan')).toMatchObject([{ planHash: last.planHash, changes: smallCounts, quarantined: 0 }])
  expect(of(lines, 'batch answered')).toMatchObject([
    { number: 1, phase: 'upserts', operations: 7, results: { created: 7 } },
  ])
  expect(of(lines, 'request').length).toBeGreaterThan(8)
  expect(of(lines, 'run ended')).toMatchObject([
    { level: LEVELS.info, status: 'finished', exitCode: 0, meaning: 'everything landed', error: null },
  ])
})

test('a wait names host, status and how long; rejected operations name ids of sessions only', async () => {
  let answers = 0
  source.script = async ({ resource }) => {
    if (resource !== 'Users' || answers > 0) return null
    answers += 1
    return { status: 503, body: 'Ada' }
  }
  const platform = await platforms.start({})
  await platform.control('faults', [
    { fault: 'failOperation', uniqueId: 'u2', content: 'attendees', count: 'always' },
    { fault: 'failOperation', uniqueId: '101', content: 'agenda', count: 'always' },
  ])
  const { lines, log } = await sync({ platform })
  expect(of(lines, 'wait')).toMatchObject([
    {
      level: LEVELS.warn,
      what: 'users, page 1',
      cause: 'answered 503',
      status: 503,
      host: new URL(source.url).host,
      waitMs: expect.any(Number),
    },
  ])
  const rejected = of(lines, 'rejected')
  expect(rejected).toHaveLength(2)
  expect(rejected).toContainEqual(expect.objectContaining({ content: 'agenda', uniqueId: '101' }))
  expect(rejected).toContainEqual(expect.objectContaining({ content: 'attendees', uniqueId: null }))
  expect(of(lines, 'run ended')).toMatchObject([
    { level: LEVELS.warn, exitCode: 3, todo: expect.stringContaining('load_results.csv') },
  ])
  expect(log).not.toMatch(/Ada|people\.example|"u2"/)
})

test('a hold says which guard, the plan and how it is approved; a failure which step', async () => {
  const platform = await platforms.start({})
  await sync({ platform })
  source.records = { ...source.records, Users: smallEvent.Users?.slice(0, 1) ?? [] }
  const more = { platform, integration: { removals: { minCount: 1 } } }
  const held = await sync(more)
  expect(of(held.lines, 'hold')).toMatchObject([
    { level: LEVELS.warn, guard: 'removals', planHash: held.last.planHash, detail: expect.any(String) },
  ])
  expect(of(held.lines, 'run opened')).toMatchObject([{ lastSuccessAt: expect.stringMatching(/^\d{4}-/) }])
  expect(of(held.lines, 'run ended')).toMatchObject([
    { exitCode: 4, todo: expect.stringContaining(`event-sync apply summit ${held.last.planHash}`) },
  ])

  source.script = async () => ({ status: 404, body: '' })
  const failed = await sync(more)
  expect(of(failed.lines, 'step ended')).toMatchObject([
    { level: LEVELS.warn, step: 'extract', errorType: 'ReadError' },
  ])
  expect(of(failed.lines, 'run ended')).toMatchObject([
    { level: LEVELS.error, exitCode: 1, error: expect.stringContaining('answered 404') },
  ])
})
