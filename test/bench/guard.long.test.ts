/**
 * This test fails if the command becomes slower. The test compares ratios of CPU times at a small size;
 * `npm run bench` measures the real times.
 *
 * The test compares the CPU time of the command and its server connections with the CPU time of a COPY of the
 * same rows. The test ignores elapsed time, because elapsed time depends on other load on the machine. Each
 * command runs in its own process, as for users, on a server that no other test uses.
 *
 * The test fails if the work per record nearly doubles, in the command (reading, parsing, encoding) or in the
 * database (COPY, merge, transform, plan). The test also fails if the work per record grows with the number
 * of records, or if a run writes rows although nothing changed.
 *
 * The test does not notice smaller increases, waiting without work, or a slower apply or audit. The test does
 * not notice slowness that begins at a hundred thousand records, for example if a table no longer fits into
 * memory. The test does not notice a slower PostgreSQL either, because both sides of the ratio become slower.
 * Memory is checked by `npm run memory` instead.
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
 * Maximum CPU time of the command and of the server for a plan of 4N records, as multiples of the time of
 * COPY. When these limits were set, the command took 3.1 to 3.3 times as long as COPY, and the server 7.8 to
 * 8.4 times. The difference is room for a busy machine.
 */
const MOST_OF_COMMAND = 6
const MOST_OF_SERVER = 14
/**
 * Maximum work per record with 4N records, as a multiple of the work per record with N records. The measured
 * multiples are about 0.8 and 0.9, because the work with N records includes all start costs.
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

/**
 * Number of folders so far. Each measurement gets a new folder, so that measurements do not affect each
 * other.
 */
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

// The block is skipped if TEST_DATABASE_URL is set: the CPU time of an external server cannot be measured.
describe.skipIf((process.env.TEST_DATABASE_URL ?? '') !== '')('speed', () => {
  const of = (measurements: readonly Measurement[], name: string) => figure(measurements, /COPY/, name)

  test('a plan takes a limited multiple of the time of COPY, and no more per record with more records', async () => {
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

test('a run without changes writes no staging rows, and a changed registrant leads to two rows', async () => {
  const runs = await take(measureRuns, 2_000)
  expect(figure(runs, /first/, 'stagingRowsWritten')).toBe(2_000 + 200 + 2)
  expect(figure(runs, /unchanged/, 'stagingRowsWritten')).toBe(0)
  // One registrant in a hundred changed. Each change writes two rows: the end of the old version, and the new
  // version.
  expect(figure(runs, /% changed/, 'stagingRowsWritten')).toBe(2 * 20)
}, 600_000)
