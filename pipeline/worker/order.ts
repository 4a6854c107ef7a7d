import { findNewestRuns } from '../../loaders/ledger/ledger.ts'
import type { Config, IntegrationConfig } from '../config/config.ts'
import { dueAfter } from '../config/due.ts'
import type { Context } from '../context/run-context.ts'
import type { DueJobs } from '../database/job-queue.ts'
import { sourceTypeOf } from '../sources/registry.ts'
import { targetTypeOf } from '../targets/registry.ts'

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
  const { perAccount, perPlatform } = config.worker ?? {}
  const isLimited = perAccount !== undefined || perPlatform !== undefined
  // Without a choice to make, nothing is asked of the database: workers look for jobs every two seconds.
  if (waiting.length <= count && !isLimited) return waiting.map(({ integrationId }) => integrationId)
  const integrations = new Map(config.integrations.map((one) => [one.id, one]))
  const ids = waiting.map(({ integrationId }) => integrationId)
  const newest = await findNewestRuns(database.kysely, ids)
  const jobs = waiting.map(({ integrationId, isByHand, dueAtMs }) => {
    const integration = integrations.get(integrationId)
    const last = newest.get(integrationId)
    const missedMs = integration && last ? dueAfter(integration, last.started_at.getTime()) : null
    const sinceMs = Math.min(dueAtMs, missedMs ?? dueAtMs)
    return { integrationId, isByHand, sinceMs, ...sharedBy(integrations.get(integrationId), integrationId) }
  })
  return inTurn(
    jobs,
    running.map((id) => sharedBy(integrations.get(id), id)),
    count,
    config.worker,
  )
}

/** The account and the platform of a run. Runs of other integrations can have the same. */
export interface Shared {
  readonly account: string
  readonly platform: string
}

/** A waiting job as `inTurn` compares it. */
export interface Candidate extends Shared {
  readonly integrationId: string
  readonly isByHand: boolean
  /** The time at which the integration should have run. */
  readonly sinceMs: number
}

/**
 * Chooses jobs one after the other. A run that a person asked for comes first. Next comes a run of the account
 * of which the fewest runs are under way: otherwise one account with many integrations would stop all others.
 * The run that is overdue for the longest time comes first among these runs. A job waits while its account or
 * its platform has as many runs under way as the configuration allows.
 *
 * @param running account and platform of each run that is under way
 */
export function inTurn(
  candidates: readonly Candidate[],
  running: readonly Shared[],
  count: number,
  { perAccount = Number.POSITIVE_INFINITY, perPlatform = Number.POSITIVE_INFINITY }: Config['worker'] = {},
): readonly string[] {
  const left = new Set(candidates)
  const ofAccount = countsOf(running.map(({ account }) => account))
  const ofPlatform = countsOf(running.map(({ platform }) => platform))
  const isAllowed = ({ account, platform }: Shared) =>
    ofAccount.of(account) < perAccount && ofPlatform.of(platform) < perPlatform
  const compare = (one: Candidate, other: Candidate) =>
    Number(other.isByHand) - Number(one.isByHand) ||
    ofAccount.of(one.account) - ofAccount.of(other.account) ||
    one.sinceMs - other.sinceMs
  const chosen: string[] = []
  while (chosen.length < count) {
    const allowed = [...left].filter(isAllowed)
    if (allowed.length === 0) break
    const next = allowed.reduce((first, one) => (compare(one, first) < 0 ? one : first))
    left.delete(next)
    ofAccount.add(next.account)
    ofPlatform.add(next.platform)
    chosen.push(next.integrationId)
  }
  return chosen
}

/** Counts how often each text occurs. The counts are kept, so that no comparison counts again. */
function countsOf(texts: readonly string[]) {
  const counts = new Map<string, number>()
  const of = (text: string) => counts.get(text) ?? 0
  const add = (text: string) => counts.set(text, of(text) + 1)
  for (const text of texts) add(text)
  return { of, add }
}

/**
 * Returns the account and the platform of an integration. If the integration is not in the configuration, no
 * other integration has the same.
 */
function sharedBy(integration: IntegrationConfig | undefined, integrationId: string): Shared {
  if (integration === undefined) return { account: integrationId, platform: integrationId }
  return { account: accountOf(integration), platform: platformOf(integration) }
}

/** Returns the host of a platform; for operations that are written to the packs, the id of the integration. */
function platformOf({ id, platform }: IntegrationConfig): string {
  const { url } = targetTypeOf(platform).eventOf(platform)
  return url === '' ? id : hostOf(url)
}

/**
 * Returns a text that is the same for all integrations that read the same host with the same credentials. The
 * text has references to secrets, but no secret.
 */
function accountOf({ source }: IntegrationConfig): string {
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
