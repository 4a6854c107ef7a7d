import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { loggedRun, succeeded } from './logged-run.ts'
import { measure } from './measured.ts'
import type { Measure, Measurement } from './measurement.ts'
import { makePlace } from './place.ts'
import { settle, withNewDatabase, withServerTime } from './server.ts'

const PYTHON = process.env.DLT_PYTHON ?? 'python3'
const SCRIPT = join(import.meta.dirname, './dlt_load.py')

/**
 * Names the program that is missing on this machine to load data with dlt; returns null if nothing is
 * missing.
 */
export const withoutDlt = (): string | null =>
  spawnSync(PYTHON, ['-c', 'import dlt, psycopg2']).status === 0
    ? null
    : `no dlt: pip install 'dlt[postgres]', DLT_PYTHON=path of its Python`

/**
 * Measures a first run and two runs without changes, and the same loads by dlt. The tool dlt loads
 * registrants and sessions of the same source into the same server with `merge`. The product and dlt run in
 * turn, so that other load on the machine affects both.
 */
export const measureDlt: Measure = async ({ folder, postgresUrl, source }) =>
  withNewDatabase(postgresUrl, (ofDlt) =>
    withNewDatabase(postgresUrl, async (ofRuns) => {
      const place = makePlace({ folder: join(folder, 'runs'), databaseUrl: ofRuns, sourceUrl: source.url })
      const args = [SCRIPT, source.url, ofDlt, join(folder, 'dlt')]
      const load = async () =>
        succeeded('dlt', await measure(PYTHON, args, { RUNTIME__DLTHUB_TELEMETRY: 'false' }))
      const measurements: Measurement[] = []
      // The first run without changes writes its files; the next run without changes shares these files.
      for (const what of ['first run', 'unchanged run', 'unchanged run, again']) {
        await settle(ofDlt)
        const dlt = await withServerTime(ofDlt, load)
        await settle(ofRuns)
        const own = await withServerTime(ofRuns, () => loggedRun(place, 'run'))
        const values = {
          dltCommandCpuSeconds: dlt.run.cpuSeconds,
          dltServerCpuSeconds: dlt.cpuSeconds - dlt.run.cpuSeconds,
          commandCpuSeconds: own.run.cpuSeconds,
          serverCpuSeconds: own.cpuSeconds - own.run.cpuSeconds,
          timesDlt: own.cpuSeconds / dlt.cpuSeconds,
          dltPeakMb: dlt.run.peakMb,
          peakMb: own.run.peakMb,
        }
        measurements.push({ table: 'run beside dlt', what, registrants: source.count, values })
      }
      return measurements
    }),
  )
