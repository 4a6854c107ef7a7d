import type pg from 'pg'
import {
  judgePlatform,
  lookAt,
  type RememberedChange,
  type WantedItem,
} from '../../harness/platform-judge.ts'
import { withClient } from '../../support/postgres.ts'
import type { WorkerProcess } from './commands.ts'
import type { Sites } from './site.ts'

/**
 * The time during which a process ran an integration: from its first to its last log line while it had the
 * lock.
 */
interface Held {
  readonly integration: string
  readonly pid: number
  readonly fromMs: number
  readonly toMs: number
}

/** Finds integrations that two processes ran at the same time according to their logs. */
export function overlaps(workers: readonly WorkerProcess[]): {
  readonly held: number
  readonly faults: readonly string[]
} {
  const byIntegration = Map.groupBy(
    workers.flatMap((worker) => heldBy(worker)),
    ({ integration }) => integration,
  )
  const faults = [...byIntegration].flatMap(([integration, times]) => {
    const sorted = times.toSorted((a, b) => a.fromMs - b.fromMs)
    return sorted.slice(1).flatMap((one, place) => {
      const before = sorted[place]
      if (before === undefined || one.fromMs >= before.toMs) return []
      const overlapMs = before.toMs - one.fromMs
      return [`${integration} was run by ${before.pid} and ${one.pid} at once for ${overlapMs} ms`]
    })
  })
  return { held: [...byIntegration.values()].flat().length, faults }
}

/**
 * Returns the times during which a worker had locks: from the log line `step` to the log line `done`, or to
 * the worker's death.
 */
export function heldBy(worker: WorkerProcess): readonly Held[] {
  const open = new Map<string, number>()
  const held: Held[] = []
  const close = (integration: string, toMs: number) => {
    const fromMs = open.get(integration)
    open.delete(integration)
    if (fromMs !== undefined) held.push({ integration, pid: worker.pid, fromMs, toMs })
  }
  for (const { integration, atMs, msg } of worker.lines) {
    if (msg === 'done') close(integration, atMs)
    else if (['step', 'at', 'read'].includes(msg) && !open.has(integration)) open.set(integration, atMs)
  }
  for (const integration of [...open.keys()])
    close(integration, worker.endedAtMs() ?? Number.POSITIVE_INFINITY)
  return held
}

/**
 * Compares each platform with the platform of the same event that was synced without kills. Returns the
 * differences, and operations that took effect twice.
 *
 * @param isLedgerWhole false if the database has lost runs
 */
export async function judgeSite(
  { databaseUrl, integrations, undisturbed }: Sites,
  isLedgerWhole = true,
): Promise<{
  readonly effects: number
  readonly faults: readonly string[]
}> {
  const wanted = await Promise.all(undisturbed.integrations.map(({ platform }) => lookAt(platform)))
  return withClient(databaseUrl, async (client) => {
    const faults: string[] = []
    let effects = 0
    for (const { id, event, platform } of integrations) {
      const look = await lookAt(platform)
      effects += look.ledger.length
      const items = Object.entries(wanted[event]?.items ?? {}).flatMap(([content, list]) =>
        list.map((item): WantedItem => ({ ...item, content: content as WantedItem['content'] })),
      )
      if (items.length === 0) faults.push(`${id}: nothing is wanted`)
      const { rows: recorded } = await client.query<RememberedChange>(
        `select run_id::text as run, seq::int as seq, unique_id as "uniqueId", action, freed, state, result, code
         from sync.changes where integration_id = $1 and state <> 'pending'`,
        [id],
      )
      faults.push(
        ...judgePlatform(look, items, isLedgerWhole ? recorded : null).map((fault) => `${id}: ${fault}`),
      )
    }
    const { rows } = await client.query(
      `select integration_id || ': run ' || run_id || ' is ' || status as fault
       from sync.runs where status not in ('finished', 'abandoned', 'failed')`,
    )
    faults.push(...rows.map(({ fault }) => String(fault)))
    return { effects, faults }
  })
}

/** Counts the jobs that are not finished yet, and the jobs that the queue has given up. */
export async function countJobs(
  client: pg.Client,
): Promise<{ readonly open: number; readonly givenUp: number }> {
  const { rows } = await client.query(
    `select count(*) filter (where name = 'jobs')::int as open,
       count(*) filter (where name = 'given-up')::int as given_up
     from queue.job where state in ('created', 'retry', 'active') and name in ('jobs', 'given-up')`,
  )
  return { open: rows[0].open, givenUp: rows[0].given_up }
}
