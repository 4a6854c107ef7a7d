/**
 * Reads one answer of 300 MB into PostgreSQL. Compares the peak memory of this command with the peak memory
 * of an idle command. The idle command only loads the configuration and opens the database. Afterwards the
 * script writes, exports and verifies two packs, the second with ten times the rows.
 *
 * The command is `npm run memory`; its last line is `N passed, N failed`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { faultsOfPacks, measurePack } from './pack-memory.ts'
import { makePlace } from './place.ts'
import { startRegistrants } from './registrants.ts'
import { bytesRead } from './server.ts'

/** About 470 bytes each. */
const REGISTRANTS = Number(process.env.N ?? 660_000)
const ALLOWED_MB = 100
/** Number of registrants in the larger pack; the files of a pack have eleven rows for each registrant. */
const PACK = Number(process.env.PACK ?? 100_000)

const folder = mkdtempSync(join(tmpdir(), 'event-sync-memory-'))
const postgres = await startPostgres()
const source = await startRegistrants(REGISTRANTS, 'array')
try {
  const databaseUrl = await createDatabase(postgres.url)
  const place = makePlace({ folder, databaseUrl, sourceUrl: source.url, content: ['attendees'] })
  const idle = await place.command('runs')
  const plan = await place.command('plan')
  const [{ run }]: readonly [{ readonly run: string }] = JSON.parse(plan.stdout).runs
  const readMb = (await bytesRead(databaseUrl, run)) / 1_000_000
  const raisedMb = plan.peakMb - idle.peakMb
  console.log(plan.stderr)
  console.log(
    `read ${readMb.toFixed(0)} MB in one answer, ${REGISTRANTS} records, ${plan.seconds.toFixed(1)} s in all`,
  )
  console.log(
    `peak of the idle command ${idle.peakMb.toFixed(0)} MB, of the reading one ${plan.peakMb.toFixed(0)} MB`,
  )
  const ok = idle.code === 0 && plan.code === 2 && readMb >= 300 && raisedMb <= ALLOWED_MB
  console.log(`raised by ${raisedMb.toFixed(0)} MB, allowed are ${ALLOWED_MB} MB`)
  const small = await measurePack(join(folder, 'small'), postgres.url, PACK / 10)
  const large = await measurePack(join(folder, 'large'), postgres.url, PACK)
  const faults = faultsOfPacks(small, large)
  for (const fault of faults) console.log(fault)
  const failed = [ok, faults.length === 0].filter((isWell) => !isWell).length
  console.log(`${2 - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  await source.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
