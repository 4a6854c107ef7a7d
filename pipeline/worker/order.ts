import { findNewestRuns } from '../../loaders/ledger/ledger.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { dueAfter } from '../config/due.ts'
import type { Context } from '../context/run-context.ts'
import type { DueJobs } from '../database/job-queue.ts'
import { sourceTypeOf } from '../sources/registry.ts'

/**
 * Chooses which due jobs a worker takes if it cannot take all.
 *
 * @returns ids of at most `count` integrations
 */
export async function chooseJobs(
  { config, database }: Context,
  { waiting, running }: DueJobs,
  count: number,
): Promise<readonly string[]> {
  const integrations = new Map(config.integrations.map((one) => [one.id, one]))
  const ids = waiting.map(({ integrationId }) => integrationId)
  const newest = await findNewestRuns(database.kysely, ids)
  const jobs = waiting.map(({ integrationId, isByHand, dueAtMs }) => {
    const integration = integrations.get(integrationId)
    const last = newest.get(integrationId)
    const missedMs = integration && last ? dueAfter(integration, last.started_at.getTime()) : null
    const sinceMs = Math.min(dueAtMs, missedMs ?? dueAtMs)
    return { integrationId, isByHand, sinceMs, account: accountOf(integrations, integrationId) }
  })
  return inTurn(
    jobs,
    running.map((id) => accountOf(integrations, id)),
    count,
  )
}

/** A waiting job as `inTurn` compares it. */
export interface Candidate {
  readonly integrationId: string
  readonly isByHand: boolean
  /** The time at which the integration should have run. */
  readonly sinceMs: number
  readonly account: string
}

/**
 * Chooses jobs one after the other. A run that a person asked for comes first. Next comes a run of the account
 * of which the fewest runs are under way: otherwise one account with many integrations would stop all others.
 * Of these runs, the one that is overdue for the longest time comes first.
 *
 * @param running the accounts of the runs under way, one entry for each run
 */
export function inTurn(
  candidates: readonly Candidate[],
  running: readonly string[],
  count: number,
): readonly string[] {
  const left = new Set(candidates)
  const load = new Map<string, number>()
  const begin = (account: string) => load.set(account, (load.get(account) ?? 0) + 1)
  for (const account of running) begin(account)
  const compare = (one: Candidate, other: Candidate) =>
    Number(other.isByHand) - Number(one.isByHand) ||
    (load.get(one.account) ?? 0) - (load.get(other.account) ?? 0) ||
    one.sinceMs - other.sinceMs
  const chosen: string[] = []
  while (chosen.length < count && left.size > 0) {
    const next = [...left].reduce((first, one) => (compare(one, first) < 0 ? one : first))
    left.delete(next)
    begin(next.account)
    chosen.push(next.integrationId)
  }
  return chosen
}

/**
 * Returns a text that is the same for all integrations that read the same host with the same credentials. The
 * text has references to secrets, but no secret. An integration that is not in the configuration is an account
 * of its own.
 */
function accountOf(integrations: ReadonlyMap<string, IntegrationConfig>, integrationId: string): string {
  const source = integrations.get(integrationId)?.source
  if (source === undefined) return integrationId
  const { secrets, referencesOf } = sourceTypeOf(source)
  const values: Readonly<Record<string, unknown>> = source
  const own = secrets.map((key) => values[key])
  const further = (referencesOf?.(source) ?? []).map(([, reference]) => reference)
  return JSON.stringify([hostOf(source.url), ...own, ...further])
}

/** Returns the host of an address; the whole text if the address is a reference or is not a URL. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
