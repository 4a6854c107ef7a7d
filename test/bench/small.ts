/** Measures runs of small events without changes, because nearly all runs in production are of this kind. */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { measureAnswers } from './answers.ts'
import { fillLedger } from './ledger.ts'
import { type LoggedRun, loggedRun, succeeded } from './logged-run.ts'
import type { Measure, Measurement } from './measurement.ts'
import { makePlace, type Place } from './place.ts'
import { startRegistrants } from './registrants.ts'
import type { EventShape } from './sample-registrants.ts'
import { bytesOfRuns, withNewDatabase, withServerTime } from './server.ts'

const SMALL = 2_000
const TINY = 50
const SHAPE_OF_TINY: EventShape = { sessions: 10, speakersInHundred: 10 }
const RUNS = 5

/** Measures a further run of a small event on PostgreSQL and on PGlite: its time, its files and its rows. */
export const measureSmall: Measure = ({ folder, postgresUrl }) =>
  withEvent(SMALL, undefined, (sourceUrl) =>
    withNewDatabase(postgresUrl, async (databaseUrl) => {
      const places = {
        PostgreSQL: makePlace({ folder: join(folder, 'postgres'), databaseUrl, sourceUrl }),
        PGlite: makePlace({ folder: join(folder, 'pglite'), databaseUrl: null, sourceUrl }),
      }
      for (const place of Object.values(places)) await startSharing(place)
      const bytesBefore = await bytesOfRuns(databaseUrl)
      const lines = await inTurn('small event, unchanged', SMALL, places)
      const databaseBytes = ((await bytesOfRuns(databaseUrl)) - bytesBefore) / RUNS
      return lines.map((line) =>
        line.what === 'PostgreSQL' ? { ...line, values: { ...line.values, databaseBytes } } : line,
      )
    }),
  )

const INTEGRATIONS = 1_000
const TABLE_OF_LEDGER = 'tiny event, unchanged, in a large ledger'
const TABLE_OF_ANSWERS = 'answers about one integration, in a large ledger'

/**
 * Measures a run of a tiny event, first with an empty ledger of runs, then with a ledger of many
 * integrations. In the full ledger, each integration has a hundredth as many runs as there are registrants. Also
 * measures shipped queries, views and commands with the full ledger.
 */
export const measureLedger: Measure = ({ folder, postgresUrl, source: { count: registrants } }) =>
  withEvent(TINY, SHAPE_OF_TINY, (sourceUrl) =>
    withNewDatabase(postgresUrl, (empty) =>
      withNewDatabase(postgresUrl, async (full) => {
        const places = {
          empty: makePlace({ folder: join(folder, 'empty'), databaseUrl: empty, sourceUrl }),
          full: makePlace({ folder: join(folder, 'full'), databaseUrl: full, sourceUrl }),
        }
        for (const place of Object.values(places)) await startSharing(place)
        const runs = Math.ceil(registrants / 100)
        await fillLedger(full, INTEGRATIONS, runs)
        const [inEmpty = 0, inFull = 0] = (await inTurn(TABLE_OF_LEDGER, registrants, places)).map(
          ({ values }) => values.cpuSeconds,
        )
        const values = {
          runsInLedger: INTEGRATIONS * runs,
          emptyCpuSeconds: inEmpty,
          fullCpuSeconds: inFull,
          timesEmpty: inFull / inEmpty,
        }
        const ids = ['large', ...Array.from({ length: INTEGRATIONS - 1 }, (_, place) => `other-${place + 1}`)]
        const fleet = makePlace({ folder: join(folder, 'fleet'), databaseUrl: full, sourceUrl, ids })
        const answers = await measureAnswers(full, fleet, `other-${INTEGRATIONS / 2}`)
        return [
          { table: TABLE_OF_LEDGER, what: 'PostgreSQL', registrants, values },
          { table: TABLE_OF_ANSWERS, what: 'PostgreSQL', registrants, values: answers },
        ]
      }),
    ),
  )

const OF_WORKER = 21

/** Measures a run in a worker without the start of the worker, from the cost of twenty further runs. */
export const measureWorker: Measure = ({ folder, postgresUrl }) =>
  withEvent(TINY, SHAPE_OF_TINY, (sourceUrl) =>
    withNewDatabase(postgresUrl, async (databaseUrl) => {
      const ids = Array.from({ length: OF_WORKER }, (_, index) => `event-${index}`)
      const place = makePlace({ folder, databaseUrl, sourceUrl, ids })
      for (const _ of [1, 2, 3]) succeeded('run', await place.command('run'))
      const costOf = async (called: readonly string[]) => {
        succeeded('schedule', await place.command('schedule', '--now', ...called))
        const { cpuSeconds } = await withServerTime(databaseUrl, () => place.worker(called.length))
        return cpuSeconds
      }
      const one = await costOf(ids.slice(0, 1))
      const cpuSeconds = ((await costOf(ids)) - one) / (OF_WORKER - 1)
      return [
        { table: 'tiny event, unchanged', what: 'in a worker', registrants: TINY, values: { cpuSeconds } },
      ]
    }),
  )

async function withEvent<Result>(
  count: number,
  shape: EventShape | undefined,
  work: (sourceUrl: string) => Promise<Result>,
): Promise<Result> {
  const source = await startRegistrants(count, 'pages', shape)
  return work(source.url).finally(() => source.stop())
}

/**
 * Runs the integration until further packs share their files with the pack before. Sharing begins with the
 * second run without changes.
 */
async function startSharing(place: Place): Promise<void> {
  for (const _ of [1, 2, 3]) await loggedRun(place, 'run')
}

/** Runs several times in each of several places, in turn, and returns a line for each place. */
async function inTurn(
  table: string,
  registrants: number,
  places: Readonly<Record<string, Place>>,
): Promise<(Measurement & { readonly values: { readonly cpuSeconds: number } })[]> {
  const sums = Object.entries(places).map(([what, place]) => ({
    what,
    place,
    command: 0,
    server: 0,
    pack: 0,
  }))
  for (let round = 0; round < RUNS; round += 1) {
    for (const sum of sums) {
      const { run, server } = await withServerTime(sum.place.databaseUrl, () => loggedRun(sum.place, 'run'))
      sum.command += run.cpuSeconds
      sum.server += server.serverCpuSeconds ?? 0
      sum.pack += bytesOfItsOwn(run)
    }
  }
  return sums.map(({ what, command, server, pack }) => {
    const values = {
      commandCpuSeconds: command / RUNS,
      serverCpuSeconds: server / RUNS,
      cpuSeconds: (command + server) / RUNS,
      packBytes: pack / RUNS,
    }
    return { table, what, registrants, values }
  })
}

/** Returns how many bytes the files take that this pack shares with no other pack. */
export function bytesOfItsOwn({ output }: LoggedRun): number {
  return readdirSync(String(output))
    .map((name) => lstatSync(join(String(output), name)))
    .reduce((sum, { nlink, size }) => (nlink === 1 ? sum + size : sum), 0)
}
