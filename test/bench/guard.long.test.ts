/**
 * Notices when the command becomes slower, by ratios within one test at a small size; `npm run bench` has the
 * figures.
 *
 * It compares the CPU time of the command and of its server connections with that of COPY of the same rows.
 * Elapsed time says nothing on a machine with other load. Each command runs in its own process, as in use, on
 * a server that no other test uses.
 *
 * It notices: work per record that nearly doubles, in the command (reading, parsing, encoding) or in the
 * database (COPY, merge, transform, plan); work per record that grows with the number of records; rows that
 * are written although nothing changed.
 *
 * It does not notice: smaller increases; waiting without work; slowness that begins at a hundred thousand
 * records, for example if a table no longer fits into memory; a slower apply or audit; a slower PostgreSQL,
 * which affects both sides of the ratio; and memory, which `npm run memory` checks.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPostgres, type TestServer } from '../support/postgres.ts'
import type { Measure, Measurement } from './measurement.ts'
import { startRegistrants } from './registrants.ts'
import { measureRuns } from './runs.ts'
import { measureStage } from './stage.ts'

const N = 10_000
/**
 * Limits for a plan of 4N, as multiples of COPY. When they were set it took 3.1 to 3.3 and 7.8 to 8.4; the
 * rest is room for a busy machine.
 */
const MOST_OF_COMMAND = 6
const MOST_OF_SERVER = 14
/**
 * Limit for the work per record at 4N, as a multiple of that at N, which includes all start costs: about 0.8
 * and 0.9.
 */
const MOST_GROWTH = 1.1

const folder = mkdtempSync(join(tmpdir(), 'event-sync-guard-'))
let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A new folder for each, so that measurements do not affect each other. */
let places = 0
function site() {
  places += 1
  return { folder: join(folder, String(places)), postgresUrl: server.url }
}

async function take(measure: Measure, registrants: number): Promise<readonly Measurement[]> {
  const source = await startRegistrants(registrants, 'pages')
  return measure({ ...site(), source }).finally(() => source.stop())
}

function figure(measurements: readonly Measurement[], what: RegExp, name: string): number {
  const value = measurements.find((measurement) => what.test(measurement.what))?.values[name]
  if (value === undefined) throw new Error(`nothing was measured of ${what}: ${name}`)
  return value
}

// Skipped with TEST_DATABASE_URL: the CPU time of an external server cannot be measured.
describe.skipIf((process.env.TEST_DATABASE_URL ?? '') !== '')('work', () => {
  const of = (measurements: readonly Measurement[], name: string) => figure(measurements, /COPY/, name)

  test('stays close to that of COPY and does not grow with the number of records', async () => {
    const [few, many] = [await take(measureStage, N), await take(measureStage, 4 * N)]
    const copy = of(many, 'copyCpuSeconds')
    const seen = {
      command: of(many, 'commandCpuSeconds') / copy,
      server: of(many, 'serverCpuSeconds') / copy,
      commandGrowth: of(many, 'commandCpuSeconds') / of(few, 'commandCpuSeconds') / 4,
      serverGrowth: of(many, 'serverCpuSeconds') / of(few, 'serverCpuSeconds') / 4,
    }
    expect(seen.command).toBeLessThanOrEqual(MOST_OF_COMMAND)
    expect(seen.server).toBeLessThanOrEqual(MOST_OF_SERVER)
    expect(seen.commandGrowth).toBeLessThanOrEqual(MOST_GROWTH)
    expect(seen.serverGrowth).toBeLessThanOrEqual(MOST_GROWTH)
  }, 600_000)
})

test('an unchanged run writes no rows of staging, and a changed registrant two rows', async () => {
  const runs = await take(measureRuns, 2_000)
  expect(figure(runs, /first/, 'stagingRowsWritten')).toBe(2_000 + 200 + 2)
  expect(figure(runs, /unchanged/, 'stagingRowsWritten')).toBe(0)
  // One registrant in a hundred changed; each ends one version and begins another.
  expect(figure(runs, /% changed/, 'stagingRowsWritten')).toBe(2 * 20)
}, 600_000)
