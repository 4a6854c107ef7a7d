/**
 * Serves each real programme of ../shared/realdata through the sample servers as Source A and as Source B, syncs it
 * on both engines, and compares every row of that folder's table, and the bytes that the engines wrote.
 *
 * `npm run realdata`; ends with `N passed, N failed`.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'csv-parse/sync'
import { withContext } from '../../pipeline/commands/session.ts'
import { loadSourceA, startSampleSourceA } from '../../pipeline/demo/sample-source-a.ts'
import {
  loadSourceB,
  sampleSourceBDefaults,
  startSampleSourceB,
} from '../../pipeline/demo/sample-source-b.ts'
import { silentProgress } from '../../pipeline/progress.ts'
import type { RunReport } from '../../pipeline/report.ts'
import { runIntegration } from '../../pipeline/run.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { expectedRows } from './expected.ts'

const DATA = resolve(process.argv[2] ?? '../shared/realdata')
const RUN_ID = '01a1fda0-0000-7000-8000-000000000001'
const SECOND_RUN_ID = '01a1fda0-0000-7000-8000-000000000002'
/** Small enough that every resource takes several pages. */
const PAGE_CAP = 97

if (!existsSync(DATA)) {
  console.log(`skipped: ${DATA} is not there`)
  process.exit(0)
}

let passed = 0
let failed = 0

function check(name: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) {
    passed += 1
    return
  }
  failed += 1
  console.log(`FAILED ${name}\n  expected ${JSON.stringify(expected)}\n  actual   ${JSON.stringify(actual)}`)
}

const expected = expectedRows(DATA)
const postgres = await startPostgres()
const work = mkdtempSync(join(tmpdir(), 'event-sync-realdata-'))
try {
  for (const [event, source] of new Map(expected.map((row) => [`${row.event} ${row.source}`, row]))
    .values()
    .map((row) => [row.event, row.source] as const)) {
    await checkEvent(event, source)
  }
} finally {
  await postgres.stop()
  rmSync(work, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

async function checkEvent(event: string, type: 'a' | 'b'): Promise<void> {
  const rows = expected.filter((row) => row.event === event && row.source === type)
  const server = await serve(event, type)
  try {
    const packs: string[] = []
    for (const engine of ['pglite', 'postgres'] as const) {
      const folder = join(work, `${event}-${type}-${engine}`)
      const name = `${event} as ${type} on ${engine}`
      const url = engine === 'postgres' ? await createDatabase(postgres.url) : undefined
      const [first, second] = await sync(folder, type, server.url, rows[0]?.timeZone ?? 'UTC', url)
      check(`${name}: first run`, first.status, 'finished')
      check(`${name}: proved complete`, first.certified, true)
      check(`${name}: nothing quarantined`, first.quarantined, 0)
      check(`${name}: second run`, second.status, 'finished')
      for (const row of rows) {
        const decisions = readCsv(first, 'decisions.csv').filter(({ content }) => content === row.content)
        const synced = decisions.filter(({ decision }) => decision === 'synced').length
        const excluded = countBy(
          decisions.filter(({ decision }) => decision !== 'synced').map(({ reason }) => reason ?? ''),
        )
        check(`${name}: ${row.content}, excluded`, excluded, row.excluded)
        check(`${name}: ${row.content}, synced`, synced, row.items)
        check(`${name}: ${row.content}.csv`, readCsv(first, `${row.content}.csv`).length, row.items)
        const counts = second.changes[row.content as 'agenda']
        check(`${name}: ${row.content}, second plan`, counts, {
          create: 0,
          update: 0,
          remove: 0,
          unchanged: row.items,
        })
      }
      packs.push(first.output ?? '')
    }
    const [one = '', other = ''] = packs
    const files = readdirSync(one).filter((file) => file.endsWith('.csv') || file.endsWith('.jsonl'))
    check(`${event} as ${type}: files`, files.length, 9)
    for (const file of files) {
      const same = readFileSync(join(one, file)).equals(readFileSync(join(other, file)))
      check(`${event} as ${type}: ${file}, both engines write the same bytes`, same, true)
    }
  } finally {
    await server.close()
  }
  console.log(`${event} as ${type}: done`)
}

async function serve(event: string, type: 'a' | 'b') {
  const folder = join(DATA, event, type)
  if (type === 'a') return startSampleSourceA(await loadSourceA(folder), { pageCap: PAGE_CAP })
  return startSampleSourceB(await loadSourceB(folder), {
    pageCap: PAGE_CAP,
    itemsAs: 'list',
    creditsPerTenMinutes: Number.POSITIVE_INFINITY,
  })
}

async function sync(
  folder: string,
  type: 'a' | 'b',
  url: string,
  timeZone: string,
  database: string | undefined,
): Promise<readonly [RunReport, RunReport]> {
  const source =
    type === 'a'
      ? { type, url, eventId: '4242', timeZone }
      : {
          type,
          url,
          eventId: '77',
          apiKey: 'env:API_KEY',
          authenticationSecret: 'env:AUTHENTICATION_SECRET',
          timeZone,
        }
  const config = join(folder, 'event-sync.yaml')
  const { mkdirSync } = await import('node:fs')
  mkdirSync(folder, { recursive: true })
  // JSON is YAML.
  writeFileSync(
    config,
    JSON.stringify({
      ...(database === undefined ? {} : { database: 'env:DATABASE_URL' }),
      integrations: [{ id: 'real', source, platform: { type: 'jsonl' } }],
    }),
  )
  const variables = {
    API_KEY: sampleSourceBDefaults.apiKey,
    AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
    DATABASE_URL: database,
  }
  return withContext(
    { config },
    async (context) => {
      const [integration] = context.config.integrations
      if (integration === undefined) throw new Error('the configuration has no integration')
      const once = async (runId: string) => {
        const options = { command: 'run', runId, rebind: false, fresh: false } as const
        const [report] = await runIntegration(context, integration, options)
        if (report === undefined) throw new Error('a run gives a report')
        if (report.error !== undefined) console.log(report.error)
        return report
      }
      return [await once(RUN_ID), await once(SECOND_RUN_ID)] as const
    },
    variables,
    silentProgress,
  )
}

function readCsv(report: RunReport, file: string): Record<string, string>[] {
  return parse(readFileSync(join(report.output ?? '', file)), { columns: true })
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
