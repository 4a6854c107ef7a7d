/**
 * Runs the only integration of a configuration as `event-sync run` does, and kills or halts itself at a named
 * point.
 *
 * The argument is an `Order` as JSON. The process prints events as JSON lines on standard output; these lines
 * remain even if the process dies.
 */
import { writeFileSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { withContext } from '../../../pipeline/commands/session.ts'
import type { Context } from '../../../pipeline/context/run-context.ts'
import { runIntegration } from '../../../pipeline/run/run.ts'
import type { Environment } from '../../../pipeline/runtime/environment.ts'
import { machine } from '../../../pipeline/runtime/environment.ts'
import type { Listener } from '../../../pipeline/runtime/events.ts'
import type { RunReport } from '../../../pipeline/runtime/report.ts'
import { atPoints } from '../../harness/place.ts'
import { canaryIndexes } from './canary.ts'
import type { Order, Told } from './child.ts'
import { countFinished, findSaved, readState } from './state.ts'

/**
 * Time by which the leaping clock advances at each reading. The time is longer than the interval between two
 * saves, so that the run saves after each page.
 */
const LEAP_MS = 2_000
const LOCKED_MS = 100
const MAX_LOCKED = 100

const order: Order = JSON.parse(process.argv[2] ?? '')

function tell(told: Told): void {
  writeSync(1, `${JSON.stringify(told)}\n`)
}

/** Makes a listener that counts how often the named point is reached, and then kills or halts the process. */
function dying(): Listener {
  let hits = 0
  return atPoints((point) => {
    if (point === 'run opened' || point === 'apply begun') tell({ event: point })
    if (order.death?.point !== point) return
    hits += 1
    if (hits !== order.death.hit) return
    tell({ event: 'hit', point })
    process.kill(process.pid, order.death.signal)
  })
}

/**
 * Returns the normal environment with two changes: it makes passwords that the tests recognise, and intervals
 * are measured with a leaping clock. The clock for the time of day is not changed. If the time of day did, a
 * process that waits long for the lock would consider the saved reading as too old.
 */
function environmentOf({ clock }: Order): Environment {
  let leaptMs = 0
  const environment = { ...machine, randomInt: canaryIndexes(machine.randomInt) }
  if (clock === 'machine') return environment
  return {
    ...environment,
    monotonic() {
      leaptMs += LEAP_MS
      return machine.monotonic() + leaptMs
    },
  }
}

async function runOnce(context: Context): Promise<readonly RunReport[]> {
  const [integration] = context.config.integrations
  if (integration === undefined) throw new Error('the configuration has no integration')
  const options = { command: 'run', rebind: false, fresh: false } as const
  for (let tries = 1; ; tries += 1) {
    const reports = await runIntegration(context, integration, options)
    if (reports[0]?.status !== 'locked' || tries >= MAX_LOCKED) return reports
    // PostgreSQL may take a moment to notice that the killed run is dead, so the run is tried again.
    tell({ event: 'locked' })
    await sleep(LOCKED_MS)
  }
}

tell({ event: 'ready' })
await withContext(
  { config: order.config },
  { env: process.env, cwd: '.', stderr: process.stderr },
  async (opened) => {
    const context: Context = { ...opened, environment: environmentOf(order) }
    tell({ event: 'found', saved: await findSaved(context.database.kysely) })
    for (let isFirst = true; order.finishedRuns > 0; isFirst = false) {
      if (!isFirst && (await countFinished(context.database.kysely)) >= order.finishedRuns) break
      const reports = await runOnce(context)
      const failed = reports.find(({ status }) => status !== 'finished')
      tell({ event: 'run ended', error: failed === undefined ? null : (failed.error ?? failed.status) })
      if (failed === undefined) continue
      process.exitCode = 1
      return
    }
    writeFileSync(order.stateFile, JSON.stringify(await readState(context.database.kysely)))
  },
  { events: dying() },
)
