import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startSamplePlatform } from '../harness/sample-platform/start.ts'
import { idle, type LoggedRun, loggedRun, succeeded } from './logged-run.ts'
import type { Measure, Measurement } from './measurement.ts'
import { makePlace } from './place.ts'
import { startRegistrants } from './registrants.ts'
import { rowsWritten, settle, withNewDatabase, withServerTime } from './server.ts'
import { bytesOfItsOwn } from './small.ts'

/**
 * Measures a first run, two runs without changes, and a run in which one registrant in a hundred changed. The
 * export of the first pack is measured too.
 */
export const measureRuns: Measure = async ({ folder, postgresUrl, source }) =>
  withNewDatabase(postgresUrl, async (databaseUrl) => {
    const registrants = source.count
    const place = makePlace({ folder, databaseUrl, sourceUrl: source.url })
    const { peakMb: idleMb } = await idle(place)
    const measurements: Measurement[] = []

    async function measureRun(what: string): Promise<LoggedRun> {
      const before = await rowsWritten(databaseUrl)
      await settle(databaseUrl)
      const { run, server } = await withServerTime(databaseUrl, () => loggedRun(place, 'run'))
      const written = (await rowsWritten(databaseUrl)) - before
      const values = { ...valuesOf(run, written, idleMb), ...server, packBytes: bytesOfItsOwn(run) }
      measurements.push({ table: 'runs', what, registrants, values })
      return run
    }

    const first = await measureRun('first run')
    const rows = rowsIn(first.output)
    await rm(String(first.output), { recursive: true })
    await settle(databaseUrl)
    const again = succeeded('export', await place.command('--log-level', 'info', 'export', first.run))
    await measureRun('unchanged run')
    await measureRun('unchanged run, again')
    await source.serve('changed')
    await measureRun('1 % changed').finally(() => source.serve('original'))

    const auditSeconds = first.stepSeconds('audit')
    const pack = (what: string, seconds: number, more: Measurement['values'] = {}): Measurement => {
      const values = { rows, seconds, rowsPerSecond: rows / seconds, ...more }
      return { table: 'audit pack', what, registrants, values }
    }
    const peaks = { peakMb: again.peakMb, overIdleMb: again.peakMb - idleMb }
    return [
      ...measurements,
      pack('step of the first run', auditSeconds),
      pack('export, the whole command', again.seconds, peaks),
      applied('jsonl', registrants, first),
    ]
  })

/**
 * Measures how fast operations are sent to the sample platform. The sample platform writes each batch to a
 * file before it answers.
 */
export const measureHttp: Measure = async ({ folder, postgresUrl, source }) => {
  const { config, env, close } = await startSamplePlatform({ storage: join(folder, 'platform') })
  try {
    return await withNewDatabase(postgresUrl, async (databaseUrl) => {
      const more = { platform: config(100), passwords: { mode: 'none' } }
      const place = makePlace({ folder, databaseUrl, sourceUrl: source.url, more, variables: env })
      return [applied('http, batches of 100', source.count, await loggedRun(place, 'run'))]
    })
  } finally {
    await close()
  }
}

/**
 * Measures a first run on the embedded database. The memory of that database is part of the command's memory.
 */
export const measureEmbedded: Measure = async ({ folder, source: { url, count } }) => {
  const run = await loggedRun(makePlace({ folder, databaseUrl: null, sourceUrl: url }), 'run')
  const recordsPerSecond = count / run.stepSeconds('extract', 'stage')
  const values = { ...secondsOfSteps(run), recordsPerSecond, peakMb: run.peakMb }
  return [{ table: 'PGlite', what: 'first run', registrants: count, values }]
}

/**
 * Measures a first run and a run without changes for an event with many sessions and speakers. Both Source A
 * and Source B are measured.
 */
export const measureSources: Measure = async ({ folder, postgresUrl, source: { count: registrants } }) => {
  const shape = { sessions: Math.ceil(registrants / 20), speakersInHundred: 20 }
  const source = await startRegistrants(registrants, 'pages', shape)
  const measureOf = (sourceType: 'a' | 'b') =>
    withNewDatabase(postgresUrl, async (databaseUrl) => {
      const settings = { folder: join(folder, sourceType), databaseUrl, sourceUrl: source.url, sourceType }
      const place = makePlace(settings)
      const cpu = []
      for (const _ of ['first', 'unchanged']) {
        const { cpuSeconds } = await withServerTime(databaseUrl, () => loggedRun(place, 'run'))
        cpu.push(cpuSeconds)
      }
      return cpu
    })
  try {
    const [ofB, ofA] = [await measureOf('b'), await measureOf('a')]
    return ['first run', 'unchanged run'].map((what, index): Measurement => {
      const [a = 0, b = 0] = [ofA[index], ofB[index]]
      const values = { cpuSecondsOfA: a, cpuSecondsOfB: b, timesB: a / b }
      return { table: 'Source A beside B', what, registrants, values }
    })
  } finally {
    await source.stop()
  }
}

function applied(what: string, registrants: number, run: LoggedRun): Measurement {
  const [operations, seconds] = [run.changes, run.stepSeconds('apply')]
  const values = { operations, seconds, operationsPerSecond: operations / seconds }
  return { table: 'platform', what, registrants, values }
}

function secondsOfSteps(run: LoggedRun): Measurement['values'] {
  const steps = ['extract', 'stage', 'transform', 'plan', 'apply', 'audit']
  return Object.fromEntries(steps.map((step) => [`${step}Seconds`, run.stepSeconds(step)]))
}

function valuesOf(run: LoggedRun, written: number, idleMb: number): Measurement['values'] {
  return {
    ...secondsOfSteps(run),
    runSeconds: run.runSeconds,
    stagingRowsWritten: written,
    changes: run.changes,
    commandCpuSeconds: run.cpuSeconds,
    peakMb: run.peakMb,
    overIdleMb: run.peakMb - idleMb,
  }
}

/** Returns the number of rows in all CSV files of a pack. */
function rowsIn(output: string | null): number {
  const { files } = JSON.parse(readFileSync(join(String(output), 'details.json'), 'utf8'))
  return (files as readonly { readonly name: string; readonly rows: number | null }[])
    .filter(({ name }) => name.endsWith('.csv'))
    .reduce((sum, { rows }) => sum + (rows ?? 0), 0)
}
