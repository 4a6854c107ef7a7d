import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { CrashingServer } from './crashing-server.ts'
import { failed, finish } from './round.ts'
import type { Scenario } from './scenario.ts'
import type { Result } from './tally.ts'

const LOOK_MS = 50
/** Maximum time until the next run waits for a lock that the server has not released yet. */
const PATIENCE_MS = 20_000

/**
 * Kills a run while the server commits the run's plan. The commit ends only after the next run has started.
 *
 * At that time the lock of the dead run is free. The next run learns only from the commit itself that an
 * unfinished plan exists.
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
    // No standby server with this name exists, so the commit waits for a confirmation that does not come.
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
    // The next run finds the saved reading of the dead run, which is merged as soon as the commit ends, so
    // the last argument is false.
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
