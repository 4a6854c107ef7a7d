import { expect, test } from 'vitest'
import { usePlatforms } from '../../harness/sample-platform/use-platform.ts'
import { smallCounts } from '../commands/small-event.ts'
import type { Ended, PlatformSync } from '../sync-to-platform.ts'
import { useSmallSync } from '../use-small-sync.ts'

const { source, sync: syncSmall } = useSmallSync('pglite')
const platforms = usePlatforms()

type Line = Readonly<Record<string, unknown>>

async function sync(
  more: Partial<PlatformSync> & Pick<PlatformSync, 'platform'>,
): Promise<Ended & { readonly lines: readonly Line[] }> {
  const ended = await syncSmall({ batchSize: 10, ...more })
  const lines = ended.log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
  return { ...ended, lines }
}

const of = (lines: readonly Line[], message: string) => lines.filter(({ msg }) => msg === message)

test('every log line names integration and run; lines about steps, certificates, plan, batches and the end have figures', async () => {
  const { lines, last } = await sync({ platform: await platforms.start({}) })
  const run = last.run
  expect(lines.filter((line) => line.integration !== 'summit' || line.run !== run)).toEqual([])
  expect(of(lines, 'run opened')).toMatchObject([{ command: 'run', isContinued: false, lastSuccessAt: null }])
  const ended = of(lines, 'step ended').map(({ step }) => step)
  expect(ended).toEqual(['extract', 'refresh', 'stage', 'transform', 'plan', 'apply', 'audit'])
  expect(of(lines, 'step').map(({ step }) => step)).toEqual(ended)
  expect(of(lines, 'certificate').find(({ resource }) => resource === 'users')).toMatchObject({
    level: 'info',
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
    { level: 'info', status: 'finished', exitCode: 0, meaning: 'everything landed', error: null },
  ])
})

test('a wait is logged with host, status and duration; the id of a rejected operation is logged only for sessions', async () => {
  let answers = 0
  source().script = async ({ resource }) => {
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
      level: 'warn',
      what: 'users, page 1',
      cause: 'answered 503',
      status: 503,
      host: new URL(source().url).host,
      waitMs: expect.any(Number),
    },
  ])
  const rejected = of(lines, 'rejected')
  expect(rejected).toHaveLength(2)
  expect(rejected).toContainEqual(expect.objectContaining({ content: 'agenda', uniqueId: '101' }))
  expect(rejected).toContainEqual(expect.objectContaining({ content: 'attendees', uniqueId: null }))
  expect(of(lines, 'run ended')).toMatchObject([
    { level: 'warn', exitCode: 3, todo: expect.stringContaining('load_results.csv') },
  ])
  expect(log).not.toMatch(/Ada|people\.example|"u2"/)
})
