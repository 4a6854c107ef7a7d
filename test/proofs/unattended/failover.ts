/**
 * Lets workers run integrations on three PostgreSQL servers under Patroni, and kills the primary again and
 * again while changes are sent. With a synchronous standby, no operation may take effect twice, and nothing may
 * be missing. Commands that read work on a standby. Then the standby is asynchronous and behind: the ledger goes back, and each integration whose
 * platform is ahead must say so, and send nothing, until `run --refresh`.
 *
 * `node test/proofs/unattended/failover.ts [--kills 30] [--integrations 6]`. The exit code is 1 if there is any
 * fault.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { STORIES } from '../../harness/sample-events.ts'
import { createDatabase, withClient } from '../../support/postgres.ts'
import { type Cluster, missingForCluster, startCluster } from './cluster.ts'
import { runCommand, startWorker, tryCommand } from './commands.ts'
import { countJobs, judgeSite } from './judge.ts'
import { openSite, type Sites } from './site.ts'

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '30' }, integrations: { type: 'string', default: '6' } },
})
const WORKERS = 2
/** How long the platforms take for an answer, so that a primary dies while changes are sent. */
const PLATFORM_MS = 100
const SYNCED_MS = 300_000

const startedMs = performance.now()
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - startedMs) / 1000)).padStart(5)} s  ${line}`)

async function countBatches({ integrations }: Sites): Promise<number> {
  const all = await Promise.all(integrations.map(({ platform }) => platform.control('requests')))
  return all.flatMap(({ requests }) => requests).filter(({ method }) => method === 'POST').length
}

/** Counts the open jobs; null while the database does not answer. */
function openJobs({ databaseUrl }: Sites): Promise<number | null> {
  return withClient(databaseUrl, countJobs).then(
    ({ open }) => open,
    () => null,
  )
}

/** Kills the primary once or more in each sync, whenever a batch has been sent, until it was killed often enough. */
async function killOften(cluster: Cluster, site: Sites, wanted: number): Promise<readonly string[]> {
  const faults: string[] = []
  let kills = 0
  for (let round = 0; kills < wanted; round += 1) {
    for (const event of site.events) event.show(STORIES[round % STORIES.length] ?? 'first')
    await runCommand(site, 'schedule', '--now')
    const workers = Array.from({ length: WORKERS }, () => startWorker(site, 1))
    const before = kills
    let batches = await countBatches(site)
    const endMs = performance.now() + SYNCED_MS
    while ((await openJobs(site)) !== 0) {
      if (performance.now() > endMs) {
        faults.push(`sync ${round + 1} did not end in ${SYNCED_MS / 1000} s`)
        break
      }
      const now = await countBatches(site)
      if (now > batches && kills < wanted) {
        kills += 1
        const ms = await cluster.killPrimary()
        say(`kill ${kills} after batch ${now}: another server is the primary after ${Math.round(ms)} ms`)
        await cluster.inStep()
        batches = await countBatches(site)
      }
      await sleep(50)
    }
    const codes = await Promise.all(workers.map((worker) => worker.stop()))
    await runCommand(site.undisturbed, 'run')
    const { effects, faults: found } = await judgeSite(site)
    say(
      `sync ${round + 1}: ${kills - before} kills, ${effects} effects, ${found.length} faults, workers ended with ${codes.join(', ')}`,
    )
    faults.push(...found)
  }
  return faults
}

/** Commands that only read, with which people look at runs on a standby. */
const READING = [
  ['status'],
  ['runs', 'event-001'],
  ['missing', 'event-001'],
  ['explain', 'event-001', 'agenda', '5001'],
  ['check'],
]

/** Reads on a standby, and checks that nothing can be run there. */
async function readStandby(cluster: Cluster, site: Sites): Promise<readonly string[]> {
  const url = new URL(site.databaseUrl)
  url.port = String(await cluster.standbyPort())
  const there = { ...site, variables: { ...site.variables, DATABASE_URL: url.href } }
  const faults: string[] = []
  for (const args of READING) {
    const { code, stderr } = await tryCommand(there, ...args)
    if (code !== 0) faults.push(`${args.join(' ')} on a standby ended with ${code}: ${stderr.slice(-400)}`)
  }
  for (const args of [['run'], ['schedule']]) {
    const { code, stderr } = await tryCommand(there, ...args)
    if (code !== 1 || !stderr.includes('the database takes no writes: it is a standby'))
      faults.push(`${args.join(' ')} on a standby ended with ${code}: ${stderr.slice(-400)}`)
  }
  say(`on a standby: ${READING.length} commands that read, 2 that write, ${faults.length} faults`)
  return faults
}

/** Loses what the primary has committed after the standbys stopped receiving, and lets the product notice. */
async function goBack(cluster: Cluster, site: Sites): Promise<readonly string[]> {
  const faults: string[] = []
  await runCommand(site, 'run')
  await cluster.inStep()
  for (const event of site.events) event.show('second')
  await cluster.holdBack()
  await runCommand(site, 'run')
  await cluster.killPrimary()
  await cluster.inStep()
  const batches = await countBatches(site)
  for (const { id } of site.integrations) {
    const { code, stderr } = await tryCommand(site, 'run', id)
    if (code !== 64)
      faults.push(`${id}: run after the ledger went back ended with ${code}: ${stderr.slice(-400)}`)
  }
  if ((await countBatches(site)) !== batches) faults.push('a run sent changes although the ledger went back')
  await runCommand(site, 'run', '--refresh')
  await runCommand(site.undisturbed, 'run')
  const { effects, faults: found } = await judgeSite(site, false)
  say(`the ledger went back: ${effects} effects, ${found.length} faults after run --refresh`)
  return [...faults, ...found]
}

async function withCluster(
  isSynchronous: boolean,
  work: (cluster: Cluster, site: Sites) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const cluster = await startCluster(isSynchronous)
  try {
    say(`PostgreSQL under Patroni, ${isSynchronous ? 'synchronous' : 'asynchronous'}`)
    const site = await openSite(Number(values.integrations), {}, await createDatabase(cluster.url, ''))
    for (const { platform } of site.integrations)
      await platform.control('faults', { fault: 'latency', ms: PLATFORM_MS, count: 'always' })
    try {
      return await work(cluster, site)
    } finally {
      await site.close()
    }
  } finally {
    await cluster.close()
  }
}

const missing = missingForCluster()
if (missing !== null) throw new Error(missing)
const faults = [
  ...(await withCluster(true, async (cluster, site) => [
    ...(await killOften(cluster, site, Number(values.kills))),
    ...(await readStandby(cluster, site)),
  ])),
  ...(await withCluster(false, goBack)),
]
for (const fault of faults.slice(0, 30)) say(`FAULT ${fault}`)
console.log(`${values.kills} kills, ${faults.length} faults`)
process.exit(faults.length === 0 ? 0 : 1)
