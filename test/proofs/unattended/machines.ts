/**
 * Lets three workers run integrations, each on a machine with its own network and a clock that is ten minutes
 * late, right, or ten minutes early. In the middle of a step, one machine loses its whole network, and another
 * loses only the database. When the remaining worker has finished the runs of both, the machines come back.
 * No operation may take effect twice, and nothing may be missing. A machine that comes back may send nothing
 * for an integration that another worker has taken over.
 *
 * `node test/proofs/unattended/machines.ts [--integrations 12] [--moments extract,apply,audit]`; needs root on Linux. A round
 * takes three to five minutes. The exit code is 1 if there is any fault.
 */

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { environmentWith, startProcess } from '../../harness/process.ts'
import { STORIES } from '../../harness/sample-events.ts'
import { withClient } from '../../support/postgres.ts'
import { runCommand, startWorker, type WorkerProcess } from './commands.ts'
import { countJobs, heldBy, judgeSite } from './judge.ts'
import { type Cut, makeMachines, missingForMachines, type NetworkMachine } from './network.ts'
import { openSite, type Sites } from './site.ts'

const { values } = parseArgs({
  options: {
    integrations: { type: 'string', default: '12' },
    moments: { type: 'string', default: 'extract,apply,audit' },
  },
})
const PRODUCT = join(import.meta.dirname, '../../../pipeline')
const CLOCKS_MS = [-600_000, 0, 600_000]
/** The steps in the middle of which a machine is cut off; one for each round. */
const moments = values.moments.split(',')
/** How long the platforms take for an answer, so that a step is cut in its middle. */
const PLATFORM_MS = 150
const INTO_STEP_MS: Readonly<Record<string, number>> = { extract: 100, apply: 200 }
/** Maximum time until a worker begins the step in which its machine is cut off. */
const STEP_BEGINS_MS = 120_000
/** Maximum time until the server ends the session of a machine that is cut off. */
const SESSION_ENDS_MS = 180_000
/** Maximum time until another worker has finished the run of a machine that is cut off. */
const TAKEN_OVER_MS = 600_000

const startedMs = performance.now()
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - startedMs) / 1000)).padStart(5)} s  ${line}`)

/** A run that was interrupted, because its machine was cut off. */
interface Interrupted {
  readonly integration: string
  readonly atMs: number
  readonly by: Placed
  readonly what: Cut
}

interface Placed {
  readonly machine: NetworkMachine
  readonly worker: WorkerProcess
}

/** Waits until a condition holds. @returns false if it does not hold in time @throws Error if a worker has ended */
async function until(
  limitMs: number,
  placed: readonly Placed[],
  holds: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const endMs = performance.now() + limitMs
  while (performance.now() < endMs) {
    for (const { machine, worker } of placed)
      if (worker.endedAtMs() !== null) throw new Error(`${machine.name} ended: ${worker.trouble.join('\n')}`)
    if (await holds()) return true
    await sleep(5)
  }
  return false
}

/**
 * Cuts a machine off in the middle of a step.
 *
 * @returns the integration whose run is interrupted; null if the worker did not come to this step in time
 */
async function cutAt(moment: string, placed: Placed, what: Cut): Promise<string | null> {
  const { machine, worker } = placed
  let seen = worker.lines.length
  const isThere = () => {
    const at = worker.lines.findIndex(({ step }, place) => place >= seen && step === moment)
    if (at !== -1) seen = at + 1
    return at !== -1
  }
  while (await until(STEP_BEGINS_MS, [placed], isThere)) {
    const { integration = '' } = worker.lines[seen - 1] ?? {}
    await sleep(INTO_STEP_MS[moment] ?? 0)
    machine.cut(what)
    await sleep(300)
    const isOver = worker.lines
      .slice(seen)
      .some((line) => line.integration === integration && line.msg === 'done')
    if (!isOver) return integration
    machine.mend()
  }
  return null
}

async function cutRound(
  site: Sites,
  client: pg.Client,
  placed: readonly Placed[],
  round: number,
  moment: string,
): Promise<readonly string[]> {
  const story = STORIES[round % STORIES.length] ?? 'first'
  for (const event of site.events) event.show(story)
  await runCommand(site, 'schedule', '--now')
  const cuts: readonly Cut[] = ['everything', { port: databasePort }]
  const faults: string[] = []
  const interrupted: Interrupted[] = []
  await Promise.all(
    cuts.map(async (what, place) => {
      const one = placed[(round + place) % placed.length]
      if (one === undefined) return
      const lost = what === 'everything' ? 'its network' : 'its database'
      const integration = await cutAt(moment, one, what)
      if (integration === null) {
        faults.push(`${one.machine.name} did not come to ${moment}`)
        return
      }
      const cutMs = Date.now()
      interrupted.push({ integration, atMs: cutMs, by: one, what })
      say(`${one.machine.name} lost ${lost} during ${moment} of ${integration}`)
      const isTakenOver = await until(TAKEN_OVER_MS, placed, () =>
        placed.some(
          ({ worker }) =>
            worker !== one.worker &&
            worker.lines.some(
              (line) => line.integration === integration && line.msg === 'done' && line.atMs > cutMs,
            ),
        ),
      )
      const seconds = Math.round((Date.now() - cutMs) / 1000)
      if (isTakenOver) say(`${integration} was finished by another worker after ${seconds} s`)
      else faults.push(`${integration}: no other worker finished it in ${seconds} s`)
      one.machine.mend()
    }),
  )
  const isDone = await until(TAKEN_OVER_MS, placed, async () => {
    await sleep(500)
    return (await countJobs(client)).open === 0
  })
  if (!isDone) faults.push(`${(await countJobs(client)).open} jobs are still open`)
  await runCommand(site.undisturbed, 'run')
  const { effects, faults: found } = await judgeSite(site)
  const sent = await sentTooLate(site, placed, interrupted)
  say(`${moment}: ${effects} effects, ${found.length + sent.length} faults`)
  return [...faults, ...found, ...sent]
}

/** What a worker logged about an integration since a time, for the message of a fault. */
function linesSince(worker: WorkerProcess, integration: string, sinceMs: number): string {
  return worker.lines
    .filter((line) => line.integration === integration && line.atMs >= sinceMs)
    .map(({ atMs, msg, step }) => `${atMs - sinceMs} ${msg}${step === undefined ? '' : ` ${step}`}`)
    .join(', ')
}

/**
 * Finds requests of machines that were cut off: from the time at which another worker took the run over, until
 * the machine begins another job of the integration. Packets that were under way when the whole network was cut
 * arrive on old connections; the platform knows their keys.
 */
async function sentTooLate(
  { integrations }: Sites,
  placed: readonly Placed[],
  cuts: readonly Interrupted[],
): Promise<readonly string[]> {
  const faults: string[] = []
  for (const { integration, atMs, by, what } of cuts) {
    const platform = integrations.find(({ id }) => id === integration)?.platform
    const takenMs = Math.min(
      ...placed
        .filter(({ worker }) => worker !== by.worker)
        .flatMap(({ worker }) => heldBy(worker))
        .filter((held) => held.integration === integration && held.fromMs > atMs)
        .map(({ fromMs }) => fromMs),
    )
    const againMs =
      by.worker.lines.find(
        (line) => line.integration === integration && line.msg === 'job begun' && line.atMs > atMs,
      )?.atMs ?? Number.POSITIVE_INFINITY
    const { requests = [] } = (await platform?.control('requests')) ?? {}
    for (const { from, atMs: sentMs, connectedMs, method, path } of requests) {
      const wasUnderWay = what === 'everything' && connectedMs < atMs
      if (from === by.machine.address && sentMs > takenMs && sentMs < againMs && !wasUnderWay)
        faults.push(
          `${by.machine.name} sent ${method} ${path} for ${integration} ${sentMs - takenMs} ms after another worker had taken it over: ${linesSince(by.worker, integration, atMs)}`,
        )
    }
  }
  return faults
}

/**
 * Cuts a machine off while the server works on a statement. The server then sends an answer that nobody
 * acknowledges, and keepalives do not end such a connection.
 *
 * @returns how long the server kept the session after its answer, in seconds; null if the session did not end
 */
async function keptSession(databaseUrl: string, machine: NetworkMachine): Promise<number | null> {
  const script = `
    const { openPostgres } = await import(${JSON.stringify(`${PRODUCT}/database/postgres.ts`)})
    const { kysely } = await openPostgres(process.env.DATABASE_URL)
    await kysely.executeQuery((await import('kysely')).CompiledQuery.raw('select pg_sleep(2) as "cut off"'))`
  const [program, ...before] = machine.starter
  const env = environmentWith({ ...machine.variables, DATABASE_URL: databaseUrl })
  const { kill, ended } = startProcess(program, [...before, '--input-type=module', '-e', script], { env })
  return withClient(databaseUrl, async (client) => {
    const sessions = async () => {
      const { rows } = await client.query(
        "select from pg_stat_activity where query like '%cut off%' and pid <> pg_backend_pid()",
      )
      return rows.length
    }
    await until(STEP_BEGINS_MS, [], async () => (await sessions()) === 1)
    machine.cut('everything')
    await sleep(2000)
    const answeredMs = performance.now()
    const isOver = await until(SESSION_ENDS_MS, [], async () => (await sessions()) === 0)
    machine.mend()
    kill('SIGKILL')
    await ended
    return isOver ? Math.round((performance.now() - answeredMs) / 1000) : null
  })
}

const missing = missingForMachines()
if (missing !== null) throw new Error(missing)
const site = await openSite(Number(values.integrations))
for (const { platform } of site.integrations)
  await platform.control('faults', { fault: 'latency', ms: PLATFORM_MS, count: 'always' })
const databasePort = Number(new URL(site.databaseUrl).port)
const network = makeMachines(CLOCKS_MS, databasePort)
let faults: readonly string[] = []
try {
  faults = await withClient(site.databaseUrl, async (client) => {
    const found: string[] = []
    const [first] = network.machines
    const seconds = first === undefined ? null : await keptSession(site.databaseUrl, first)
    if (seconds === null) found.push('the server keeps the session of a machine that acknowledges no answer')
    else say(`the server kept the session of a machine that acknowledged no answer for ${seconds} s`)
    const placed = network.machines.map((machine) => ({ machine, worker: startWorker(site, 1, machine) }))
    for (const [round, moment] of moments.entries())
      found.push(...(await cutRound(site, client, placed, round, moment)))
    const codes = await Promise.all(placed.map(({ worker }) => worker.stop()))
    say(`the workers ended with ${codes.join(', ')}`)
    const { givenUp } = await countJobs(client)
    if (givenUp > 0) found.push(`${givenUp} jobs were given up`)
    return found
  })
  for (const fault of faults.slice(0, 30)) say(`FAULT ${fault}`)
  console.log(`${moments.length} rounds, ${faults.length} faults`)
} finally {
  network.remove()
  await site.close()
}
process.exit(faults.length === 0 ? 0 : 1)
