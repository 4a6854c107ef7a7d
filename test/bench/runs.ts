import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { failed, idle, type LoggedRun, loggedRun } from './logged-run.ts'
import type { Measure, Measurement } from './measurement.ts'
import { makePlace } from './place.ts'
import { rowsWritten, settle, withNewDatabase } from './server.ts'

/** A first run, one of the same, one where one registrant in a hundred has changed; the pack of the first again. */
export const measureRuns: Measure = async ({ folder, postgresUrl, source }) =>
  withNewDatabase(postgresUrl, async (databaseUrl) => {
    const registrants = source.count
    const place = makePlace({ folder, databaseUrl, sourceUrl: source.url })
    const { peakMb: idleMb } = await idle(place)
    const measurements: Measurement[] = []

    async function measureRun(what: string): Promise<LoggedRun> {
      const before = await rowsWritten(databaseUrl)
      await settle(databaseUrl)
      const run = await loggedRun(place, 'run')
      const written = (await rowsWritten(databaseUrl)) - before
      measurements.push({ table: 'runs', what, registrants, values: valuesOf(run, written, idleMb) })
      return run
    }

    const first = await measureRun('first run')
    const rows = rowsIn(first.output)
    const { changes } = first
    await rm(String(first.output), { recursive: true })
    await settle(databaseUrl)
    const again = await place.command('--log-level', 'info', 'export', first.run)
    if (again.code !== 0) throw failed('export', again)
    await measureRun('unchanged run')
    await source.serve('changed')
    await measureRun('1 % changed').finally(() => source.serve('original'))

    const auditSeconds = first.stepSeconds('audit')
    const applySeconds = first.stepSeconds('apply')
    return [
      ...measurements,
      {
        table: 'audit pack',
        what: 'step of the first run',
        registrants,
        values: { rows, seconds: auditSeconds, rowsPerSecond: rows / auditSeconds },
      },
      {
        table: 'audit pack',
        what: 'export, the whole command',
        registrants,
        values: {
          rows,
          seconds: again.seconds,
          rowsPerSecond: rows / again.seconds,
          peakMb: again.peakMb,
          overIdleMb: again.peakMb - idleMb,
        },
      },
      {
        table: 'platform',
        what: 'jsonl',
        registrants,
        values: { operations: changes, seconds: applySeconds, operationsPerSecond: changes / applySeconds },
      },
    ]
  })

function valuesOf(run: LoggedRun, written: number, idleMb: number): Measurement['values'] {
  const withoutPack = run.runSeconds - run.stepSeconds('audit')
  return {
    extractSeconds: run.stepSeconds('extract'),
    stageSeconds: run.stepSeconds('stage'),
    transformSeconds: run.stepSeconds('transform'),
    planSeconds: run.stepSeconds('plan'),
    applySeconds: run.stepSeconds('apply'),
    auditSeconds: run.stepSeconds('audit'),
    runSeconds: run.runSeconds,
    withoutPackSeconds: withoutPack,
    withoutPackTimesExtract: withoutPack / run.stepSeconds('extract'),
    stagingRowsWritten: written,
    changes: run.changes,
    commandCpuSeconds: run.cpuSeconds,
    peakMb: run.peakMb,
    overIdleMb: run.peakMb - idleMb,
  }
}

/** Rows of all CSV files of a pack. */
function rowsIn(output: string | null): number {
  const { files } = JSON.parse(readFileSync(join(String(output), 'manifest.json'), 'utf8'))
  return (files as readonly { readonly name: string; readonly rows: number | null }[])
    .filter(({ name }) => name.endsWith('.csv'))
    .reduce((sum, { rows }) => sum + (rows ?? 0), 0)
}
