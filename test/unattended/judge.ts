import pg from 'pg'
import { judgePlatform, type RecordedOutcome, type WantedItem } from '../support/platform-judge.ts'
import type { WorkerProcess } from './commands.ts'
import type { Site } from './site.ts'

/** Time in which a process ran an integration, from the first to the last that it logged under its lock. */
interface Held {
  readonly pid: number
  readonly fromMs: number
  readonly toMs: number
}

/** Integrations that two processes ran at once, by what these have logged. */
export function overlaps(workers: readonly WorkerProcess[]): {
  readonly held: number
  readonly faults: readonly string[]
} {
  const byIntegration = Map.groupBy(
    workers.flatMap((worker) => heldBy(worker)),
    ({ integration }) => integration,
  )
  const faults: string[] = []
  let held = 0
  for (const [integration, times] of byIntegration) {
    held += times.length
    const sorted = times.toSorted((a, b) => a.fromMs - b.fromMs)
    for (const [place, one] of sorted.entries()) {
      const before = sorted[place - 1]
      if (before === undefined || one.fromMs >= before.toMs) continue
      faults.push(
        `${integration} was run by ${before.pid} and ${one.pid} at once for ${before.toMs - one.fromMs} ms`,
      )
    }
  }
  return { held, faults }
}

/** A step begins under the lock, and `done` is told under it; a process that dies loses it then. */
function heldBy(worker: WorkerProcess): readonly (Held & { readonly integration: string })[] {
  const open = new Map<string, number>()
  const held: (Held & { readonly integration: string })[] = []
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

/** What the ledger remembers of an integration's operations. */
async function recordedOf(client: pg.Client, integration: string): Promise<readonly RecordedOutcome[]> {
  const { rows } = await client.query(
    `select run_id::text as run, seq::int as seq, unique_id as "uniqueId", state, result, code
     from sync.changes where integration_id = $1 and state <> 'pending'`,
    [integration],
  )
  return rows
}

/** Where a platform is not what the undisturbed one of the same event is, or something took effect twice. */
export async function judgeSite(
  site: Site,
): Promise<{ readonly effects: number; readonly faults: readonly string[] }> {
  const client = new pg.Client({ connectionString: site.databaseUrl })
  await client.connect()
  const wanted = await Promise.all(site.undisturbed.platforms.map((platform) => platform.look()))
  const faults: string[] = []
  let effects = 0
  try {
    for (const { id, event, platform } of site.integrations) {
      const look = await platform.look()
      effects += look.ledger.length
      const items = Object.entries(wanted[event]?.items ?? {}).flatMap(([content, list]) =>
        list.map((item): WantedItem => ({ ...item, content: content as WantedItem['content'] })),
      )
      if (items.length === 0) faults.push(`${id}: nothing is wanted`)
      const found = judgePlatform(look, items, await recordedOf(client, id))
      faults.push(...found.map((fault) => `${id}: ${fault}`))
    }
    const { rows } = await client.query(
      `select integration_id || ': run ' || run_id || ' is ' || status as fault
       from sync.runs where status not in ('finished', 'abandoned', 'failed')`,
    )
    faults.push(...rows.map(({ fault }) => String(fault)))
  } finally {
    await client.end()
  }
  return { effects, faults }
}
