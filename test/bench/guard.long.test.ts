/**
 * Notices when the command becomes slower, by ratios within one test, at a small size: `npm run bench` has the figures.
 *
 * Compares the time that the kernel gives to the command and to the connections of its server, beside what
 * COPY of the same rows takes: on a machine that others use too, time by the clock says nothing. Each command runs in a
 * separate process, as in use, on a server that no other test uses.
 *
 * It notices: work for each record that becomes nearly twice as much, in the command (reading, parsing, encoding)
 * or in the database (COPY, merge, transform, plan); such work that grows with the number of records;
 * a row that is written though nothing changed.
 *
 * It does not notice: less than that; waiting without work; what is slow only from a hundred thousand records on, as
 * if a table no longer fits into memory; a slower apply or audit; a slower PostgreSQL, since both sides of the ratio
 * have it; and memory, which `npm run memory` looks at.
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
/** Most that a plan of 4N takes, in times of COPY: when this was set 3.1 to 3.3 and 7.8 to 8.4, and room for a busy machine. */
const MOST_OF_COMMAND = 6
const MOST_OF_SERVER = 14
/** Work for a record of 4N, in times of that for one of N, which bears the start of everything: about 0.8 and 0.9. */
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

/** Another folder for each, since what a measurement leaves there is not for the next. */
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

  test('stays near that of COPY, and does not grow with the number of records', async () => {
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

test('an unchanged run writes no row of staging, and a changed registrant two', async () => {
  const runs = await take(measureRuns, 2_000)
  expect(figure(runs, /first/, 'stagingRowsWritten')).toBe(2_000 + 200 + 2)
  expect(figure(runs, /unchanged/, 'stagingRowsWritten')).toBe(0)
  // The version that ended, and the one that began; one registrant in a hundred.
  expect(figure(runs, /% changed/, 'stagingRowsWritten')).toBe(2 * 20)
}, 600_000)
