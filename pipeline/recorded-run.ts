import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Binding, bindIntegration, checkBinding } from '../loaders/binding.ts'
import { findRuns, hasApplied, openRun, type RunRecord, updateRun } from '../loaders/ledger.ts'
import { dropReadings } from '../loaders/staging/readings.ts'
import { LockLostError } from '../sql/database.ts'
import { resolveSigner } from './config/signing.ts'
import { ConfigError, configHash, type IntegrationConfig } from './config.ts'
import { findSuppression } from './forgetting/suppression.ts'
import { endOf } from './observe/outcome.ts'
import { tellingOfNoRun, tellOfOpening } from './observe/tell.ts'
import { openReader, openRunContext } from './open-run.ts'
import { packFolder } from './pack-folder.ts'
import { productVersion } from './package-root.ts'
import { platformOf, requireUsable, targetTypeOf } from './platform/connect.ts'
import { passwordsOf } from './platform/passwords.ts'
import { NO_CHANGES, notRun, type RunReport } from './report.ts'
import { type Context, type RunContext, timestamp } from './run-context.ts'
import { makeRunId, type RunId } from './run-id.ts'

export interface RunOptions {
  readonly command: 'run' | 'plan'
  /** Given only where two runs must write the same bytes; made otherwise. */
  readonly runId?: RunId | undefined
  /** Accepts another source or platform than that of the earlier runs. */
  readonly rebind: boolean
  /** Reads back from the platform what it has, and plans from that. */
  readonly refresh?: boolean | undefined
  /** Accepts an output folder that holds packs which this database does not know. */
  readonly fresh: boolean
}

/**
 * Does work for an integration that no other process works for at the time.
 *
 * @param work takes a context whose transactions are committed only while that is so
 */
export async function withLock(
  context: Context,
  integration: IntegrationConfig,
  work: (locked: Context) => Promise<readonly RunReport[]>,
): Promise<readonly RunReport[]> {
  return tellingOfNoRun(context.progress, integration, async () => {
    const lock = await context.database.lock(integration.id)
    if (lock === null) {
      return [notRun(integration.id, 'locked', await describeHolder(context, integration.id))]
    }
    try {
      return await work({ ...context, database: { ...context.database, transaction: lock.transaction } })
    } finally {
      context.progress.done(integration.id)
      await lock.release()
    }
  })
}

async function describeHolder({ database }: Context, integrationId: string): Promise<string> {
  const [run] = await findRuns(
    database.kysely,
    { integrationId, statuses: ['running', 'applying', 'applied'] },
    1,
  )
  const holder = run === undefined ? 'another process' : `run ${run.run_id} of ${run.started_by}`
  return `${integrationId} is locked by ${holder}; wait until it ends`
}

/**
 * Looks whether what the configuration asks for can be done, and whether it is still the same source and platform:
 * no stored plan may go to another one than it was made for; and whether people who were forgotten can be kept out.
 *
 * @throws ConfigError, OtherBindingError; nothing has been read or written then
 */
export async function requireRunnable(
  context: Context,
  integration: IntegrationConfig,
  { rebind }: Pick<RunOptions, 'rebind'>,
): Promise<void> {
  resolveSigner(context.config, context.secrets)
  openReader(context, integration)
  // What the platform takes must be at hand before anything is read or written.
  requireUsable(context, integration)
  passwordsOf(context, integration)
  await findSuppression(context.database.kysely, context, integration)
  const now = timestamp(context.environment)
  await context.database.transaction((transaction) =>
    checkBinding(transaction, integration.id, bindingOf(integration), rebind, now),
  )
}

/**
 * Refuses to plan beside a plan that is on its way: what the platform has is not known before that has landed.
 *
 * @throws ConfigError
 */
export async function requireSettled({ database }: Context, { id }: IntegrationConfig): Promise<void> {
  const [applying] = await findRuns(database.kysely, { integrationId: id, statuses: ['applying'] }, 1)
  if (applying === undefined) return
  throw new ConfigError(
    `run ${applying.run_id} of ${id} is not finished: its plan is on its way to the platform; \`event-sync run ${id}\` finishes it first`,
  )
}

/** Opens a run in the ledger, does its work, and records a failure. */
export async function recordRun(
  context: Context,
  integration: IntegrationConfig,
  options: RunOptions,
  work: (run: RunContext) => Promise<void>,
): Promise<RunReport> {
  const { config, database, environment } = context
  const db = database.kysely
  const isKnown = await hasApplied(db, integration.id)
  if (!isKnown && !options.fresh) await requireNoUnknownPacks(context, integration)
  const [last] = await findRuns(db, { integrationId: integration.id }, 1)
  if (options.runId !== undefined && last !== undefined && options.runId <= last.run_id) {
    throw new ConfigError(`--run-id ${options.runId} does not come after the last run, ${last.run_id}`)
  }
  const runId =
    options.runId ?? makeRunId(environment.now(), environment.randomBytes(10), last?.run_id ?? null)
  const run = openRunContext(context, integration, runId)
  await database.transaction(async (transaction) => {
    const { base } = await bindIntegration(
      transaction,
      integration.id,
      bindingOf(integration),
      integration.source.timeZone ?? null,
      options.rebind,
    )
    await openRun(transaction, {
      integrationId: integration.id,
      runId,
      command: options.command,
      startedAt: timestamp(environment),
      startedBy: environment.user,
      productVersion,
      configHash: configHash(config, integration),
      contents: integration.content,
      base,
      timeZone: integration.source.timeZone ?? null,
    })
  })
  return reported(run, async (opened) => {
    opened.progress.at(integration.id, 'run opened')
    await work(opened)
  })
}

/** Finishes runs that died after their plan was stored and approved. */
export async function finishInterrupted(
  context: Context,
  integration: IntegrationConfig,
  work: (run: RunContext) => Promise<void>,
): Promise<readonly RunReport[]> {
  const db = context.database.kysely
  const interrupted = await findRuns(db, {
    integrationId: integration.id,
    statuses: ['applying', 'applied'],
  })
  const reports: RunReport[] = []
  for (const { run_id } of interrupted.toReversed()) {
    const report = await reported(openRunContext(context, integration, run_id), work)
    reports.push(report)
    if (report.status !== 'finished') break
  }
  return reports
}

/** Does the work of a run and reports it; a failure is part of the report. */
export async function reported(
  run: RunContext,
  work: (run: RunContext) => Promise<void>,
): Promise<RunReport> {
  const db = run.database.kysely
  let error: string | null = null
  try {
    await tellOfOpening(run)
    await work(run)
  } catch (cause) {
    const [record] = await findRuns(db, { integrationId: run.integrationId, runId: run.runId })
    error = `${cause instanceof Error ? cause.message : String(cause)}\n${consequence(record)}`
    await recordFailure(run, error, record?.status === 'running').catch((failure: unknown) => {
      // Whoever has the lock now tells how the run ends.
      if (!(failure instanceof LockLostError)) throw failure
    })
  }
  const [record] = await findRuns(db, { integrationId: run.integrationId, runId: run.runId })
  if (record === undefined) throw new Error(`run ${run.runId} of ${run.integrationId} is not in the ledger`)
  const report = await reportOf(run, record, error)
  run.progress.ended(run.integrationId, endOf(report, run.integration))
  return report
}

/** @param isOver false from the stored plan on: the next run finishes what this one began */
async function recordFailure(run: RunContext, error: string, isOver: boolean): Promise<void> {
  const { database, environment, integrationId, runId, connected } = run
  const ending = isOver ? { status: 'failed' as const, finished_at: timestamp(environment) } : {}
  await database.transaction(async (transaction) => {
    await updateRun(transaction, integrationId, runId, { error, ...ending })
    if (isOver) await dropReadings(transaction, integrationId, runId, connected.source.resources)
  })
}

function consequence(record: RunRecord | undefined): string {
  switch (record?.status) {
    case 'applying':
      return 'platform possibly touched; the next run finishes this plan first (or gives it up, with --rebind to another platform event)'
    case 'failed':
      return 'what the platform took before stands; nothing that it refused had an effect'
    case 'finished':
      return 'the ledger has the run as finished; nothing of it is left to do'
    case 'applied':
      return `platform touched; the next run writes the pack, or run \`event-sync export ${record.run_id}\``
    default:
      return 'platform untouched; safe to run again'
  }
}

/** A run as the ledger has it, in the shape of `run --json`. */
export async function reportOf(
  context: Context,
  record: RunRecord,
  error: string | null = null,
): Promise<RunReport> {
  const folder = packFolder({
    outputFolder: context.outputFolder,
    integrationId: record.integration_id,
    runId: record.run_id,
  })
  const status = error !== null ? 'failed' : record.status
  return {
    integration: record.integration_id,
    run: record.run_id,
    status,
    planHash: record.plan_hash,
    changes: { ...NO_CHANGES, ...record.counts?.changes },
    excluded: record.counts?.excluded ?? {},
    quarantined: record.counts?.quarantined ?? 0,
    kept: record.counts?.kept ?? 0,
    failed: record.counts?.failed ?? 0,
    certified: record.certified ?? false,
    held: record.held,
    approved: record.approved_at !== null,
    withheld: record.counts?.withheld ?? 0,
    notes: record.counts?.notes ?? [],
    output: record.manifest_sha256 === null && record.applied_at === null ? null : folder,
    ...(error === null ? {} : { error }),
  }
}

function bindingOf(integration: IntegrationConfig): Binding {
  const { source } = integration
  const platform = platformOf(integration)
  return {
    source: source.type,
    source_url: source.url,
    source_event_id: source.eventId,
    platform: platform.type,
    platform_url: platform.url,
    platform_event_id: platform.eventId,
  }
}

/**
 * A new database beside old packs is a lost database: everything would be created a second time.
 *
 * Source: design 4, "State and time".
 */
async function requireNoUnknownPacks(context: Context, integration: IntegrationConfig): Promise<void> {
  // A platform that can be asked says what it has.
  if (targetTypeOf(integration.platform).read !== null) return
  const folder = join(context.outputFolder, integration.id)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const isPack = await stat(join(folder, name, 'manifest.json')).then(
      () => true,
      () => false,
    )
    if (!isPack) continue
    throw new ConfigError(
      `${folder} holds packs of ${integration.id} that this database does not know; use the database that wrote them, another output folder, or --fresh to create everything anew`,
    )
  }
}
