import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { CrashingServer } from './crashing-server.ts'
import { failed, finish } from './round.ts'
import type { Scenario } from './scenario.ts'
import type { Result } from './tally.ts'

const LOOK_MS = 50
/** For the next run to come to the lock that the server has not yet let go. */
const PATIENCE_MS = 20_000

/**
 * Kills a run whose plan the server is still committing, and lets the commit end only when the next run is there.
 *
 * The lock of the dead run is free by then, so nothing but the commit itself tells the next run that a plan is on its way.
 */
export async function lateCommitRound(server: CrashingServer, scenario: Scenario): Promise<Result> {
  const workplace = await scenario.open('first')
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  const waits = async (what: 'SyncRep' | 'advisory') => {
    const { rows } = await admin.query('select pid from pg_stat_activity where wait_event = $1', [what])
    return rows.length > 0
  }
  try {
    const killed = workplace.start({ point: 'plan made', hit: 1, signal: 'SIGSTOP' })
    if (!(await killed.halted)) return failed([], 'the run ended before its plan', await killed.ended)
    // No standby of that name will ever say that it has the commit.
    await admin.query("alter system set synchronous_standby_names = 'nobody'")
    await admin.query('select pg_reload_conf()')
    await sleep(10 * LOOK_MS)
    killed.kill('SIGCONT')
    while (!(await waits('SyncRep'))) await sleep(LOOK_MS)
    killed.kill('SIGKILL')
    await killed.ended

    const url = new URL(workplace.databaseUrl)
    url.searchParams.set('options', '-c synchronous_commit=off')
    const start = () => workplace.start(null, 'leaping', url.href)
    // What it finds saved is merged as soon as the commit ends.
    const next = finish(scenario, { ...workplace, start }, false)
    const until = performance.now() + PATIENCE_MS
    while (performance.now() < until && !(await waits('advisory'))) await sleep(LOOK_MS)
    await admin.query('alter system reset synchronous_standby_names')
    await admin.query('select pg_reload_conf()')
    return { hits: ['plan made'], unharmed: 0, ...(await next) }
  } finally {
    await admin.end()
    await workplace.close()
  }
}
