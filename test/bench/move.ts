/**
 * Makes an embedded database with a history of runs. The script then moves the data to a PostgreSQL database,
 * and from there to a second PostgreSQL database. Last, runs `plan` in the second database.
 *
 * The script is started with `node test/bench/move.ts [--people 100000] [--runs 200]`. In every tenth run,
 * one person in a hundred has changed. The peak memory of a move between servers must stay below 200 MB. The
 * embedded engine alone uses this amount of memory. Therefore the peak of a move from an embedded database is
 * compared with the peak of an idle command. The plan must contain no changes. The command is `npm run move`.
 * Its last line of output is `N passed, N failed`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import type { Measured } from './measured.ts'
import { makePlace, type Place } from './place.ts'
import { startRegistrants } from './registrants.ts'

const ALLOWED_MB = 200
const ALLOWED_MORE_MB = 100

const { values } = parseArgs({
  options: { people: { type: 'string', default: '100000' }, runs: { type: 'string', default: '200' } },
})
const [people, runs] = [Number(values.people), Number(values.runs)]
const folder = mkdtempSync(join(tmpdir(), 'event-sync-move-'))
const postgres = await startPostgres()
const source = await startRegistrants(people, 'pages')
try {
  const variables = {
    NEW_URL: await createDatabase(postgres.url),
    LAST_URL: await createDatabase(postgres.url),
  }
  const settings = { folder, sourceUrl: source.url, content: ['speakers', 'attendees'], variables }
  const old = makePlace({ ...settings, databaseUrl: null })
  for (let run = 0; run < runs; run += 1) {
    if (run % 10 === 1) await source.serve(run % 20 === 1 ? 'changed' : 'original')
    const { code, stderr } = await old.command('run')
    if (code !== 0) throw new Error(`run ${run + 1} ended with ${code}: ${stderr.slice(-500)}`)
  }
  const idle = await old.command('runs')
  const toServer = await move(old, 'env:NEW_URL')
  const between = await move(makePlace({ ...settings, databaseUrl: variables.NEW_URL }), 'env:LAST_URL')
  const planned = await makePlace({ ...settings, databaseUrl: variables.LAST_URL }).command('plan')
  const moreMb = toServer.peakMb - idle.peakMb
  console.log(
    `the embedded engine raised the peak of an idle command, ${idle.peakMb.toFixed(0)} MB, by ${moreMb.toFixed(0)} MB; allowed are ${ALLOWED_MORE_MB} MB`,
  )
  console.log(
    `between servers, ${ALLOWED_MB} MB are allowed; plan in the last database: exit code ${planned.code}`,
  )
  const isWell = [moreMb <= ALLOWED_MORE_MB, between.peakMb <= ALLOWED_MB, planned.code === 0]
  const failed = isWell.filter((one) => !one).length
  console.log(`${isWell.length - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  await source.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function move(from: Place, to: string): Promise<Measured> {
  const moved = await from.command('move', '--to', to)
  if (moved.code !== 0) throw new Error(`move ended with ${moved.code}: ${moved.stderr.slice(-500)}`)
  const { tables } = JSON.parse(moved.stdout) as { readonly tables: readonly { readonly rows: number }[] }
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  console.log(
    `moved ${people} people with ${runs} runs to ${to}: ${tables.length} tables, ${rows} rows in ${moved.seconds.toFixed(1)} s, peak ${moved.peakMb.toFixed(0)} MB`,
  )
  return moved
}
