/** Measures how many files and rows an integration has after two years in which nothing changed. */
import { lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '../../pipeline/database/migrate.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import { applyRetention, isNothing } from '../../pipeline/people/retention.ts'
import { machine } from '../../pipeline/runtime/environment.ts'
import type { Database } from '../../sql/database.ts'
import { openPlace, runLast, sourceAt } from '../harness/place.ts'
import { readPacksIn } from '../people/packs.ts'
import { withClient } from '../support/postgres.ts'
import type { Measure } from './measurement.ts'
import { startRegistrants } from './registrants.ts'
import { withNewDatabase } from './server.ts'

const REGISTRANTS = 2_000
const RUNS_OF_TWO_YEARS = 2 * 365 * 24
/**
 * Packs of unchanged runs keep their files for 30 days. To save time, one thirtieth of the two years is measured
 * with one thirtieth of this age, and what was added is multiplied.
 */
const SCALE = 30
const RETENTION = { unchangedRuns: '1d', packs: '400d', history: '400d' }
const HOUR_MS = 3_600_000
const ID = 'years'
const TABLE = 'two years hourly, unchanged'
/** The first run creates all items, the second has the full report, and the third is like all further runs. */
const FIRST_RUNS = 3

/** Runs once an hour of a simulated clock, and applies the retention once a day as a worker does. */
export const measureYears: Measure = ({ folder, postgresUrl }) =>
  withNewDatabase(postgresUrl, async (databaseUrl) => {
    const source = await startRegistrants(REGISTRANTS, 'pages')
    const database = await openPostgres(databaseUrl)
    try {
      await migrate(database)
      return await measureAt(database, { folder, databaseUrl, sourceUrl: source.url })
    } finally {
      await database.close()
      await source.stop()
    }
  })

async function measureAt(
  database: Database,
  { folder, databaseUrl, sourceUrl }: Readonly<Record<'folder' | 'databaseUrl' | 'sourceUrl', string>>,
) {
  const output = join(folder, 'out')
  mkdirSync(output)
  let passedMs = 0
  const place = openPlace({
    database,
    output,
    environment: { ...machine, now: () => Date.now() + passedMs },
    config: { retention: RETENTION },
    integration: { id: ID, source: { ...sourceAt('b', sourceUrl), eventId: '4242', timeZone: 'UTC' } },
  })

  async function runHours(count: number): Promise<void> {
    for (let run = 1; run <= count; run += 1) {
      const report = await runLast(place)
      if (report.status !== 'finished') throw new Error(`a run is ${report.status}: ${report.error}`)
      passedMs += HOUR_MS
      if (run % 24 === 0) await retainAll()
    }
  }

  async function retainAll(): Promise<void> {
    for (;;) {
      const purged = await applyRetention(place.context, ID, { retention: RETENTION, most: 100 })
      if (purged === null) throw new Error('the integration is locked')
      if (isNothing(purged)) break
    }
    await vacuum()
  }

  /** In real time, autovacuum frees the space of updated rows. */
  const vacuum = () => withClient(databaseUrl, (client) => client.query('vacuum'))

  const sizes = async () => ({ ...bytesOfFiles(output), rowBytes: await bytesOfTables(databaseUrl) })
  await runHours(FIRST_RUNS)
  await vacuum()
  const first = await sizes()
  const measured = Math.ceil(RUNS_OF_TWO_YEARS / SCALE)
  await runHours(measured)
  const last = await sizes()
  const findings = await readPacksIn(join(output, ID), null)
  if (findings.length > 0) throw new Error(`verify reports: ${findings.slice(0, 3).join('; ')}`)
  const inTwoYears = (size: keyof typeof first) =>
    (first[size] + (last[size] - first[size]) * SCALE) / 1_000_000
  const values = {
    measuredRuns: measured,
    fileMb: inTwoYears('fileBytes'),
    fileBlockMb: inTwoYears('blockBytes'),
    rowMb: inTwoYears('rowBytes'),
  }
  return [{ table: TABLE, what: 'one integration', registrants: REGISTRANTS, values }]
}

/**
 * Returns the size of all files, and the size of the blocks of files and folders on the disk. A file with
 * several names counts once.
 */
function bytesOfFiles(folder: string): { readonly fileBytes: number; readonly blockBytes: number } {
  const files = new Map<number, { readonly size: number; readonly blocks: number }>()
  let blocks = 0
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const found = lstatSync(join(entry.parentPath, entry.name))
    if (entry.isFile()) files.set(found.ino, found)
    else blocks += found.blocks
  }
  let fileBytes = 0
  for (const file of files.values()) {
    fileBytes += file.size
    blocks += file.blocks
  }
  return { fileBytes, blockBytes: blocks * 512 }
}

/** Returns the size of the tables and indexes of the product. */
async function bytesOfTables(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ bytes: string }>(`
      select sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)::regclass)) as bytes
      from pg_tables
      where schemaname in ('sync', 'staging', 'incoming')`)
    return Number(rows[0]?.bytes)
  })
}
