/**
 * Measures reading and staging of registrants of Source B on both engines, beside COPY of the same rows into a table
 * with the same columns and indexes, in the same run. Ratios count: machines differ and are shared.
 *
 * `npm run bench [COUNT]`
 */
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { from, to } from 'pg-copy-streams'
import { withContext } from '../../pipeline/commands/session.ts'
import { silentProgress } from '../../pipeline/progress.ts'
import { runIntegration } from '../../pipeline/run.ts'
import type { Context } from '../../pipeline/run-context.ts'
import type { Database } from '../../sql/database.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { startRegistrants } from './measured.ts'

const count = Number(process.argv[2] ?? 100_000)
const folder = mkdtempSync(join(tmpdir(), 'event-sync-bench-'))
const postgres = await startPostgres([])
const source = await startRegistrants(count, 'pages')

try {
  console.log(`${count} registrants, pages of 200, ${process.version}`)
  for (const engine of ['postgres', 'pglite'] as const) {
    const variables = {
      KEY: 'k',
      DATABASE_URL: engine === 'postgres' ? await createDatabase(postgres.url) : '',
    }
    mkdirSync(join(folder, engine))
    const config = join(folder, engine, 'event-sync.yaml')
    writeFileSync(
      config,
      `${engine === 'postgres' ? 'database: env:DATABASE_URL' : ''}
integrations:
  - id: large
    source: {type: b, url: "${source.url}", eventId: "1", apiKey: env:KEY, authenticationSecret: env:KEY, timeZone: UTC}
    content: [attendees]
    platform: {type: jsonl}
`,
    )
    const seconds: Record<string, number> = {}
    let step = 'start'
    let since = performance.now()
    const next = (name: string) => {
      seconds[step] = (performance.now() - since) / 1000
      step = name
      since = performance.now()
    }
    const progress = { ...silentProgress, step: (_: string, name: string) => next(name) }
    await withContext(
      { config },
      async (context) => {
        const [integration] = context.config.integrations
        if (integration === undefined) throw new Error('the configuration has no integration')
        const [report] = await runIntegration(context, integration, {
          command: 'run',
          rebind: false,
          fresh: false,
        })
        next('baseline')
        if (report?.status !== 'finished') throw new Error(report?.error ?? 'the run did not finish')
        const baseline = await copySeconds(context, variables.DATABASE_URL)
        const { extract = 0, stage = 0 } = seconds
        const rate = (time: number) => Math.round(count / time)
        console.log(
          `${engine}: extract and stage ${(extract + stage).toFixed(1)} s, ${rate(extract + stage)} records/s`,
        )
        console.log(`${engine}: COPY of the same rows ${baseline.toFixed(1)} s, ${rate(baseline)} rows/s`)
        console.log(`${engine}: ${((extract + stage) / baseline).toFixed(2)} times as long as COPY`)
        const each = Object.entries(seconds).map(([name, time]) => `${name} ${time.toFixed(1)}`)
        console.log(`${engine}: seconds by step: ${each.join(', ')}`)
      },
      variables,
      progress,
    )
  }
} finally {
  source.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Time to COPY the staged rows, held as text, into a table with the same columns and indexes. */
async function copySeconds({ database }: Context, url: string): Promise<number> {
  await database.script('create table staging.baseline (like staging.b_registrants including all)')
  if (database.engine === 'pglite') return copyInPGlite(database)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const file = join(folder, 'rows.copy')
  await pipeline(client.query(to('copy staging.b_registrants to stdout')), createWriteStream(file))
  const start = performance.now()
  await pipeline(createReadStream(file), client.query(from('copy staging.baseline from stdin')))
  const seconds = (performance.now() - start) / 1000
  await client.end()
  return seconds
}

/** The embedded engine takes rows from a blob; 20,000 at a time, since each batch stands in memory. */
async function copyInPGlite(database: Database): Promise<number> {
  const columns = await columnsOf(database)
  let seconds = 0
  for (let offset = 0; offset < count; offset += 20_000) {
    const { rows } = await sql<Record<string, string>>`
      select ${sql.join(columns.map((name) => sql`${sql.ref(name)}::text as ${sql.ref(name)}`))}
      from staging.b_registrants order by source_id limit 20000 offset ${offset}`.execute(database.kysely)
    const sink = database.copyInto('staging.baseline', columns)
    const start = performance.now()
    for (const row of rows) await sink.write(columns.map((name) => row[name] ?? null))
    await sink.commit()
    seconds += (performance.now() - start) / 1000
  }
  return seconds
}

async function columnsOf(database: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ attname: string }>`
    select attname from pg_attribute
    where attrelid = 'staging.b_registrants'::regclass and attnum > 0
    order by attnum`.execute(database.kysely)
  return rows.map(({ attname }) => attname)
}
