/**
 * Lets workers run many integrations on one PostgreSQL. Every few seconds a worker is killed and replaced.
 * Every fourth time the worker is not killed, but frozen until the other workers consider it dead. The frozen
 * worker then continues. At the end every integration must be synced. No integration may have run twice at
 * the same time, and no operation may have taken effect twice.
 *
 * `node test/proofs/unattended/run.ts [--integrations 300] [--workers 4] [--kill-every 4] [--concurrency 1]`;
 * `--kill-every` is in seconds. Each event is synced twice: for the first time, and after it has changed. The
 * exit code is 1 if there is any fault. With `--integrations 20 --workers 2` the test takes a few minutes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { STORIES, type Story } from '../../harness/sample-events.ts'
import { withClient } from '../../support/postgres.ts'
import { runCommand, startWorker, type WorkerProcess } from './commands.ts'
import { countJobs, judgeSite, overlaps } from './judge.ts'
import { openSite, type Sites } from './site.ts'

const { values } = parseArgs({
  options: {
    integrations: { type: 'string', default: '300' },
    workers: { type: 'string', default: '4' },
    'kill-every': { type: 'string', default: '4' },
    concurrency: { type: 'string', default: '1' },
  },
})
const settings = {
  integrations: Number(values.integrations),
  workers: Number(values.workers),
  killEveryMs: Number(values['kill-every']) * 1000,
  concurrency: Number(values.concurrency),
}
const startedMs = performance.now()
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - startedMs) / 1000)).padStart(5)} s  ${line}`)

/**
 * Time for which a worker is frozen. The time is longer than the other workers need to consider the worker
 * dead and to begin the next try.
 */
const FROZEN_MS = 40_000

/** Runs one job for every integration, and kills workers meanwhile, until no job is left. */
async function syncAll(site: Sites, story: Story, client: pg.Client): Promise<readonly WorkerProcess[]> {
  for (const event of site.events) event.show(story)
  await runCommand(site, 'schedule', '--now')
  const all: WorkerProcess[] = []
  const alive = Array.from({ length: settings.workers }, () => startWorker(site, settings.concurrency))
  all.push(...alive)
  const frozen: Promise<void>[] = []
  let kills = 0
  let killedAtMs = performance.now()
  let toldAtMs = 0
  for (;;) {
    await sleep(500)
    const { open, givenUp } = await countJobs(client)
    if (performance.now() - toldAtMs > 15_000) {
      say(`${story} sync: ${open} jobs open, ${givenUp} given up, ${kills} kills`)
      toldAtMs = performance.now()
    }
    if (open === 0) break
    if (performance.now() - killedAtMs < settings.killEveryMs) continue
    killedAtMs = performance.now()
    const place = Math.floor(Math.random() * alive.length)
    kills += 1
    if (kills % 4 === 0) frozen.push(alive[place]?.freeze(FROZEN_MS) ?? Promise.resolve())
    else await alive[place]?.kill()
    alive[place] = startWorker(site, settings.concurrency)
    all.push(alive[place])
  }
  const codes = await Promise.all(alive.map((worker) => worker.stop()))
  await Promise.all(frozen)
  say(
    `${story} sync: done after ${kills} kills, ${frozen.length} of them frozen; the last workers ended with ${codes.join(', ')}`,
  )
  return all
}

async function findFaults(site: Sites, client: pg.Client): Promise<readonly string[]> {
  const faults: string[] = []
  const workers: WorkerProcess[] = []
  for (const story of STORIES) {
    workers.push(...(await syncAll(site, story, client)))
    await runCommand(site.undisturbed, 'run')
    const { effects, faults: found } = await judgeSite(site)
    say(`${story} sync: ${effects} effects on ${site.integrations.length} platforms, ${found.length} faults`)
    faults.push(...found)
  }
  const { held, faults: twice } = overlaps(workers)
  faults.push(...twice)
  const { givenUp } = await countJobs(client)
  if (givenUp > 0) faults.push(`${givenUp} jobs were given up`)
  say(`${workers.length} workers held integrations ${held} times, ${twice.length} of them twice at once`)
  return faults
}

const site = await openSite(settings.integrations)
let faults: readonly string[] = []
try {
  say(
    `${settings.integrations} integrations, ${settings.workers} workers, a kill every ${values['kill-every']} s`,
  )
  faults = await withClient(site.databaseUrl, (client) => findFaults(site, client))
  for (const fault of faults.slice(0, 30)) say(`FAULT ${fault}`)
  console.log(`${site.integrations.length} integrations, ${faults.length} faults`)
} finally {
  await site.close()
}
process.exit(faults.length === 0 ? 0 : 1)
