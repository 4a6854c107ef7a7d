/**
 * Lets one worker make small runs one after another for half an hour. The worker's memory, connections,
 * handles and files must not increase.
 *
 * `node test/proofs/unattended/soak.ts [--minutes 30] [--integrations 5] [--every 15]`; `--every` is the
 * number of seconds between two measurements. The test needs Linux, because it reads `/proc`; on other
 * systems it prints a note and passes. The last line of the output is `N passed, N failed`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { runCommand, startWorker } from './commands.ts'
import { grows, MEASURES, type Measured } from './growth.ts'
import { openSite } from './site.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    integrations: { type: 'string', default: '5' },
    every: { type: 'string', default: '15' },
  },
})

function measure(pid: number, connections: number, runs: number): Measured {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const links = readdirSync(`/proc/${pid}/fd`)
  return {
    runs,
    memoryMb: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024),
    handles: links.length,
    threads: Number(/Threads:\s+(\d+)/.exec(status)?.[1]),
    connections,
  }
}

async function soak(): Promise<number> {
  // With the default settings, the guards would rightly hold the plans after a while, because the changes
  // alternate.
  const unguarded = {
    removals: { maxShare: 1, maxStatedShare: 1 },
    guards: { blackout: false, massUpdate: 1 },
  }
  const site = await openSite(Number(values.integrations), unguarded)
  const client = new pg.Client({ connectionString: site.databaseUrl })
  const worker = startWorker(site, 1)
  try {
    await client.connect()
    await runCommand(site, 'schedule', '--now')
    const ask = async (query: string) => Number((await client.query(query)).rows[0]?.n)
    const countJobs = () =>
      ask(
        "select count(*) as n from queue.job where name = 'jobs' and state in ('created', 'retry', 'active')",
      )
    const endMs = Date.now() + Number(values.minutes) * 60_000
    const measured: Measured[] = []
    let story = 0
    let nextMs = 0
    console.log(['minute', ...MEASURES].join('\t'))
    while (Date.now() < endMs) {
      if (worker.endedAtMs() !== null) throw new Error(`the worker ended: ${worker.trouble.join('\n')}`)
      // When no job is left, each event changes to its other state, and new jobs begin.
      if ((await countJobs()) === 0) {
        story += 1
        for (const event of site.events) event.show(story % 2 === 0 ? 'first' : 'second')
        await callAll(
          client,
          site.integrations.map(({ id }) => id),
        )
      }
      if (Date.now() >= nextMs) {
        nextMs = Date.now() + Number(values.every) * 1000
        const connections = await ask(
          "select count(*) as n from pg_stat_activity where application_name = 'event-sync' and datname = current_database()",
        )
        const runs = await ask("select count(*) as n from sync.runs where status = 'finished'")
        const now = measure(worker.pid, connections, runs)
        measured.push(now)
        const minute = (Number(values.minutes) - (endMs - Date.now()) / 60_000).toFixed(1)
        console.log([minute, ...MEASURES.map((name) => now[name])].join('\t'))
      }
      await sleep(200)
    }
    // The test waits until all running jobs have ended, because an unfinished run must not be reported as
    // failed.
    const lastMs = Date.now() + 60_000
    while ((await countJobs()) > 0 && Date.now() < lastMs) await sleep(200)
    const others = await client.query<{ what: string }>(
      "select concat_ws(' ', run_id, status, error) as what from sync.runs where status <> 'finished' order by run_id",
    )
    const faults = grows(measured)
    if (others.rows.length > 0) {
      faults.push(`not every run is finished: ${others.rows.map(({ what }) => what).join('; ')}`)
    }
    for (const fault of faults) console.log(`FAULT ${fault}`)
    console.log(
      `${measured.at(-1)?.runs ?? 0} runs; ${MEASURES.length - faults.length} passed, ${faults.length} failed`,
    )
    return faults.length
  } finally {
    await worker.stop()
    await client.end()
    await site.close()
  }
}

/**
 * Does the same as `schedule --now`, but starts no process for each integration, so that only the worker is
 * measured.
 */
async function callAll(client: pg.Client, ids: readonly string[]): Promise<void> {
  await client.query(
    `insert into queue.job (name, data, singleton_key, group_id, policy, retry_limit, expire_seconds, heartbeat_seconds)
     select 'jobs', '{}', id, id, 'exclusive', 0, 86399, 15 from unnest($1::text[]) as id
     on conflict do nothing`,
    [ids],
  )
}

if (existsSync('/proc/self/fd')) process.exit((await soak()) === 0 ? 0 : 1)
console.log('there is no /proc here: not measured')
