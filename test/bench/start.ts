import { join } from 'node:path'
import { succeeded } from './logged-run.ts'
import { type Measured, measure } from './measured.ts'
import type { Measure } from './measurement.ts'
import { cli, makePlace } from './place.ts'

/** Port 9 is the discard port; nobody listens there. */
const NOWHERE = '127.0.0.1:9'
const TIMES = 5

/**
 * Measures how long a start takes: of the command alone, of the command with its database, and of the demo.
 */
export const measureStart: Measure = async ({ folder }) => {
  const place = makePlace({
    folder,
    databaseUrl: `postgres://${NOWHERE}/none`,
    sourceUrl: `http://${NOWHERE}`,
  })
  async function mean(times: number, work: () => Promise<Measured>): Promise<number> {
    let sum = 0
    for (let time = 0; time < times; time += 1) sum += (await work()).cpuSeconds
    return sum / times
  }
  async function refused(): Promise<Measured> {
    const ended = await place.command('run')
    if (!ended.stderr.includes('ECONNREFUSED')) throw new Error(`run was not refused: ${ended.stderr}`)
    return ended
  }
  const version = () => measure(process.execPath, [cli, '--version'])
  const demo = () => measure('npm', ['start', '--', '--folder', join(folder, 'demo')])
  const values = {
    versionCpuSeconds: await mean(TIMES, async () => succeeded('--version', await version())),
    beforeDatabaseCpuSeconds: await mean(TIMES, refused),
    demoCpuSeconds: await mean(1, async () => succeeded('npm start', await demo())),
  }
  return [{ table: 'start', what: 'of a process', registrants: 0, values }]
}
