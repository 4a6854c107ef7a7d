import { rmSync } from 'node:fs'
import { createDatabase } from '../support/postgres.ts'
import type { Measured } from './measured.ts'
import { makePlace } from './place.ts'
import { startRegistrants } from './registrants.ts'

/** Commands that write or read a whole pack, each in its own process. */
export type PackCommand = 'run' | 'export' | 'verify'

/** Runs, exports and verifies a pack with this many registrants. */
export async function measurePack(
  folder: string,
  postgresUrl: string,
  registrants: number,
): Promise<Readonly<Record<PackCommand, Measured>>> {
  const source = await startRegistrants(registrants, 'pages')
  const databaseUrl = await createDatabase(postgresUrl)
  const content = ['speakers', 'attendees']
  const { command } = makePlace({ folder, databaseUrl, sourceUrl: source.url, content })
  try {
    const run = await command('run')
    const [report] = JSON.parse(run.stdout).runs
    rmSync(report.output, { recursive: true })
    const again = await command('export', report.run)
    return { run, export: again, verify: await command('verify', report.output) }
  } finally {
    await source.stop()
  }
}

/**
 * Commands that run longer collect garbage later. An increase up to this limit does not mean that memory
 * grows with the number of rows.
 */
const ALLOWED_MORE_MB = 60

/** Lists commands that failed, and commands that needed too much more memory for ten times the rows. */
export function faultsOfPacks(
  small: Readonly<Record<PackCommand, Measured>>,
  large: Readonly<Record<PackCommand, Measured>>,
): readonly string[] {
  return (['run', 'export', 'verify'] as const).flatMap((name) => {
    const [before, after] = [small[name], large[name]]
    const moreMb = after.peakMb - before.peakMb
    console.log(
      `${name}: ${before.peakMb.toFixed(0)} MB in ${before.seconds.toFixed(1)} s, of ten times the rows ${after.peakMb.toFixed(0)} MB in ${after.seconds.toFixed(1)} s`,
    )
    const failed = [before, after].filter(({ code }) => code !== 0)
    return [
      ...failed.map(({ code, stderr }) => `${name} ended with ${code}: ${stderr.slice(-500)}`),
      ...(moreMb > ALLOWED_MORE_MB
        ? [`${name} needs ${moreMb.toFixed(0)} MB more for ten times the rows`]
        : []),
    ]
  })
}
