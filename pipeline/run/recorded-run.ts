import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bindIntegration, checkBinding } from '../../loaders/ledger/binding.ts'
import { findRun, findRuns, openRun, type RunRecord, updateRun } from '../../loaders/ledger/ledger.ts'
import { REPORT_FILE } from '../../loaders/packs/csv-files/pack-format.ts'
import { takeOverForgotten } from '../../loaders/people/forgotten.ts'
import { mayHaveSent } from '../../loaders/platform/batches.ts'
import { READ_BACK } from '../../loaders/platform/known-items.ts'
import { confirmMisses } from '../../loaders/staging/marks.ts'
import { dropReadings } from '../../loaders/staging/readings.ts'
import { LockLostError } from '../../sql/database.ts'
import type { Content, CustomFields, OperatorAction, RunStatus, StoredCommand } from '../../sql/tables.ts'
import { configurationOf, type IntegrationConfig } from '../config/config.ts'
import { dueAfter } from '../config/due.ts'
import { resolveSigner } from '../config/signing.ts'
import { recordChangedKeys } from '../context/changed-keys.ts'
import { requireUsable } from '../context/connect.ts'
import { bindingOf, requireCurrentId } from '../context/current-id.ts'
import { openReader, openRunContext } from '../context/open-run.ts'
import { packFolder } from '../context/pack-folder.ts'
import { recordAction } from '../context/record-action.ts'
import {
  type Context,
  customOf,
  type RunContext,
  silencedHints,
  timestamp,
  whileLocked,
} from '../context/run-context.ts'
import { eventReadBy, findSuppression } from '../context/suppression.ts'
import { lineageAddress } from '../observe/deliver.ts'
import { emitOpening, emitUnopened, UNTOUCHED } from '../observe/emit.ts'
import { parentRunOf } from '../observe/lineage-parent.ts'
import { endOf } from '../observe/outcome.ts'
import { receiversOf } from '../observe/receivers.ts'
import { carryOverSuppressions } from '../people/beside-packs.ts'
import { requireLogRoom } from '../runtime/disk-room.ts'
import type { RunCommand } from '../runtime/events.ts'
import { messageOf } from '../runtime/message-of.ts'
import { productVersion } from '../runtime/package-root.ts'
import { pick } from '../runtime/pick.ts'
import { NO_CHANGES, notRun, type RunReport } from '../runtime/report.ts'
import { makeRunId, type RunId } from '../runtime/run-id.ts'
import { timesByStep } from '../runtime/step.ts'
import { UserError } from '../settings/errors.ts'
import type { Gap } from './behind.ts'
import { requireRoomFor } from './room.ts'
import { passwordsOf } from './watched-outbox.ts'

export interface RecordedRunOptions {
  readonly command: 'run' | 'plan'
  /** Id of the run. The id is given only if two runs must write the same bytes; otherwise it is generated. */
  readonly runId?: RunId | undefined
  /** Accepts that the source or the platform is another than in earlier runs. */
  readonly rebind?: boolean | undefined
  /**
   * Reads the items of the platform again, and plans from these items. If the platform cannot list them, uses
   * the operations in packs that the database does not know.
   */
  readonly refresh?: boolean | undefined
  /** With `refresh`: also uses packs that are not signed with the configured key. */
  readonly unsigned?: boolean | undefined
  /** Reads the whole source again, including the part that an interrupted run has read. */
  readonly freshRead?: boolean | undefined
  /** Lets a new database create all items again, even if there are packs that this database does not know. */
  readonly fresh?: boolean | undefined
  /** Reads all records of the source, even if it is normally read by changes. */
  readonly full?: boolean | undefined
  /** Lets the source be read by changes again, although such readings have missed records. */
  readonly changes?: boolean | undefined
  /** Writes no file, because the transaction that contains the run is rolled back. */
  readonly isPreview?: boolean
}

/** Facts that the ledger records about a run when the run begins. */
interface RecordedRun extends Omit<RecordedRunOptions, 'command'> {
  readonly command: StoredCommand
  /** Run whose state a rollback restores; left out for other commands. */
  readonly rollbackTo?: string
  /** Contents that the run plans. If left out, the run plans all configured contents. */
  readonly contents?: readonly Content[]
  /** Custom fields that items may have. If left out, items may have the configured custom fields. */
  readonly custom?: CustomFields
}

/** Does work for an integration while holding its lock, so that no other process works on it. */
export async function withLock(
  context: Context,
  integration: IntegrationConfig,
  command: RunCommand,
  work: (locked: Context) => Promise<readonly RunReport[]>,
): Promise<readonly RunReport[]> {
  return emitUnopened(context.events, integration, command, async () => {
    const reports = await whileLocked(context, integration.id, (locked) =>
      work(locked).finally(() => context.events.emit(integration.id, { type: 'done' })),
    )
    return reports ?? [notRun(integration.id, 'locked', await describeHolder(context, integration.id))]
  })
}

async function describeHolder({ database }: Context, integrationId: string): Promise<string> {
  const statuses = ['running', 'applying', 'applied'] as const
  const run = await findRun(database.kysely, { integrationId, statuses })
  const holder = run === undefined ? 'another process' : `run ${run.run_id} of ${run.started_by}`
  return `${integrationId} is locked by ${holder}; wait until it ends`
}

/**
 * Checks that a run of the integration is possible. Keys, addresses and passwords must be usable, including
 * those for notifications. An integration must keep the source and the platform of its earlier runs, because
 * a stored plan may only be sent to the platform for which it was made. Suppressions of forgotten people must
 * be usable.
 *
 * @returns `takesPlatformEvent` is true if the platform event is new to the integration
 * @throws UserError (for example RenamedError) or OtherBindingError. The function throws before the run reads
 *   or writes anything
 */
export async function requireRunnable(
  context: Context,
  integration: IntegrationConfig,
  { rebind = false, fresh = false }: Pick<RecordedRunOptions, 'rebind' | 'fresh'> = {},
) {
  resolveSigner(context.config, context.secrets)
  const { lineage } = context.config
  for (const receiver of receiversOf(context)) receiver.address()
  if (lineage !== undefined) {
    lineageAddress(lineage, context.secrets)
    parentRunOf(context.secrets.env)
  }
  // The reader has not sent a request yet, so it has no connection that must be closed.
  const { limits } = openReader(context, integration)
  requireUsable({ ...context, limits }, integration)
  passwordsOf(context, integration)
  const now = timestamp(context.environment)
  return context.database.transaction(async (transaction) => {
    if (!rebind && !fresh) await requireCurrentId(transaction, context, integration)
    const bindable = await checkBinding(transaction, integration.id, bindingOf(integration), rebind, now)
    await takeOverForgotten(transaction, integration.id, eventReadBy(integration))
    await findSuppression(transaction, context, integration)
    return bindable
  })
}

/**
 * Checks that no plan is being applied. Until such a plan is finished, it is unknown which items the platform
 * has.
 *
 * @throws UserError if a plan is being applied
 */
export async function requireSettled({ database }: Context, { id }: IntegrationConfig): Promise<void> {
  const applying = await findRun(database.kysely, { integrationId: id, statuses: ['applying'] })
  if (applying === undefined) return
  throw new UserError(
    'state',
    `run ${applying.run_id} of ${id} is not finished: its plan is being sent to the platform`,
    `finish it first with \`event-sync run ${id}\``,
  )
}

export async function recordRun(
  context: Context,
  integration: IntegrationConfig,
  options: RecordedRun,
  gap: Gap,
  work: (run: RunContext) => Promise<void>,
): Promise<RunReport> {
  const { config, database, environment } = context
  const db = database.kysely
  const newest = await findRun(db, { integrationId: integration.id })
  const earlier = [newest?.run_id ?? [], gap.packs.map(({ run }) => run)].flat()
  const last = earlier.sort().at(-1) ?? null
  if (options.runId !== undefined && last !== null && options.runId <= last) {
    throw new UserError(
      'usage',
      `--run-id ${options.runId} does not come after the last run, ${last}`,
      'give a newer UUIDv7, or none',
    )
  }
  const runId = options.runId ?? makeRunId(environment.now(), environment.randomBytes(10), last)
  const notes = [...gap.notes]
  const run = openRunContext(context, integration, runId, notes)
  const { timeZone = null } = integration.source
  const binding = bindingOf(integration)
  const by = { user: environment.user, at: timestamp(environment) }
  const dueMs = dueAfter(integration, Date.parse(by.at))
  await database.transaction(async (transaction) => {
    const rebinds = options.rebind ?? false
    const { platformRevision, formerEvent, rebound } = await bindIntegration(
      transaction,
      integration.id,
      binding,
      timeZone,
      rebinds,
    )
    if (formerEvent !== null)
      notes.push(...(await carryOverSuppressions(transaction, integration, formerEvent, by)))
    await openRun(transaction, {
      integrationId: integration.id,
      runId,
      command: options.command,
      ...(options.rollbackTo === undefined ? {} : { rollbackTo: options.rollbackTo }),
      startedAt: timestamp(environment),
      startedBy: environment.user,
      productVersion,
      configuration: configurationOf(config, integration),
      contents: options.contents ?? integration.content,
      platformRevision,
      eventName: integration.name ?? null,
      silencedHints: silencedHints(integration),
      timeZone,
      custom: options.custom ?? customOf(integration),
      nextDueAt: dueMs === null ? null : new Date(dueMs).toISOString(),
      maxQuarantined: integration.guards.maxQuarantined,
    })
    const record = (action: OperatorAction, detail: string | null = null) =>
      recordAction(transaction, context, integration.id, action, { runId, detail })
    if (rebound !== null) await record('rebound', rebound)
    // The command `plan` uses no key, so the environment may lack the keys.
    if (options.command === 'run') await recordChangedKeys(transaction, context, integration.id)
    if (options.changes !== true) return
    const confirmed = await confirmMisses(transaction, run, timestamp(environment), environment.user)
    if (confirmed > 0n) await record('misses_confirmed')
  })
  return runAndReport(run, async (opened) => {
    opened.at('run opened')
    await work(opened)
  })
}

/** Finishes runs that died after their plan was stored and approved (if it needed approval). */
export async function finishInterrupted(
  context: Context,
  integration: IntegrationConfig,
  work: (run: RunContext) => Promise<void>,
): Promise<readonly RunReport[]> {
  const { database } = context
  const statuses = ['applying', 'applied'] as const
  const interrupted = await findRuns(database.kysely, { integrationId: integration.id, statuses })
  const reports: RunReport[] = []
  for (const { run_id } of interrupted.toReversed()) {
    const report = await runAndReport(openRunContext(context, integration, run_id), work)
    reports.push(report)
    if (report.status !== 'finished') break
  }
  return reports
}

/**
 * Does the work of a run and reports the result. If the work throws an error, the error becomes part of the
 * report.
 */
export async function runAndReport(run: RunContext, work: (run: RunContext) => Promise<void>) {
  let error: string | null = null
  /** The last known status of the run, in case it can no longer be read from the database. */
  let status: RunStatus | undefined
  const noted: RunContext = {
    ...run,
    step(name, work) {
      status = statusIn(name)
      requireLogRoom(run.database)
      return run.step(name, work)
    },
  }
  try {
    await emitOpening(run)
    await requireRoomFor(run)
    await work(noted)
  } catch (cause) {
    error = messageOf(cause)
  } finally {
    run.limits.connections.close()
  }
  let isRecorded = true
  const report = await recordEnd(run, error).catch((failure: unknown): RunReport => {
    isRecorded = false
    const reason = messageOf(failure)
    const why = error?.includes(reason) === true ? '' : `: ${reason}`
    const lost = `${consequence(status, run.runId)}; the database cannot say how far the run got${why}`
    return { ...notRun(run.integrationId, 'failed', `${error ?? reason}\n${lost}`), run: run.runId }
  })
  const timed = { ...report, steps: timesByStep(run.stepTimes) }
  run.emit({ type: 'run ended', ...endOf(timed, run.integration), isRecorded })
  return timed
}

/** Records that a run has ended. @returns the report of the run, as the database stores it */
async function recordEnd(run: RunContext, error: string | null): Promise<RunReport> {
  const { database, integrationId, runId } = run
  const find = () => findRun(database.kysely, { integrationId, runId })
  let message = error
  if (error !== null) {
    const record = await find()
    const isSent = await mayHaveSent(database.kysely, run)
    message = `${error}\n${consequence(record?.status, runId, isSent)}`
    await recordFailure(run, message, record?.status === 'running').catch((failure: unknown) => {
      // Another process has taken the lock and records the end of the run.
      if (!(failure instanceof LockLostError)) throw failure
    })
  }
  const record = await find()
  if (record === undefined) throw new Error(`run ${runId} of ${integrationId} is not in the ledger`)
  return reportOf(run, record, message)
}

/**
 * Records the error of a run.
 *
 * @param isOver false if the plan is already stored; the next run then finishes this run
 */
async function recordFailure(run: RunContext, error: string, isOver: boolean): Promise<void> {
  const { database, environment, integrationId, runId, connected } = run
  const ending = isOver ? { status: 'failed' as const, finished_at: timestamp(environment) } : {}
  await database.transaction(async (transaction) => {
    await updateRun(transaction, integrationId, runId, { error, ...ending })
    const read = [...connected.tables.keys(), READ_BACK].map((name) => ({ name }))
    if (isOver) await dropReadings(transaction, integrationId, runId, read)
  })
}

/**
 * Returns the furthest status that the run can have in the database while a step is running. Returns
 * undefined for the steps before the plan is stored.
 */
function statusIn(step: string): RunStatus | undefined {
  return step === 'apply' ? 'applying' : step === 'audit' ? 'applied' : undefined
}

/** Returns what the end of a run in the middle of a step means for the platform and for the next run. */
export function consequenceIn(step: string, runId: string): string {
  return consequence(statusIn(step), runId)
}

/** @param isSent false if it is known that nothing was sent to the platform; default: true */
function consequence(status: RunStatus | undefined, runId: string, isSent = true): string {
  switch (status) {
    case 'applying':
      return `platform ${isSent ? 'possibly touched' : 'untouched'}; the next run finishes this plan first (or gives it up, with --rebind to another platform event)`
    case 'failed':
      return 'what the platform accepted before is kept; what it refused had no effect'
    case 'finished':
      return 'the ledger has the run as finished; nothing is left to do'
    case 'applied':
      return `platform ${isSent ? 'touched' : 'untouched'}; the next run writes the pack, or run \`event-sync export ${runId}\``
    default:
      return UNTOUCHED
  }
}

/** Returns a stored run in the format of `run --json`. */
export function reportOf(context: Context, record: RunRecord, error: string | null = null): RunReport {
  const { integration_id: integrationId, run_id: runId } = record
  return {
    integration: integrationId,
    run: runId,
    ...(record.rollback_to === null ? {} : { rollbackTo: record.rollback_to }),
    status: error !== null ? 'failed' : record.status,
    planHash: record.plan_hash,
    changes: { ...NO_CHANGES, ...record.counts?.changes },
    excluded: record.counts?.excluded ?? {},
    quarantined: record.counts?.quarantined ?? 0,
    kept: record.counts?.kept ?? 0,
    failed: record.counts?.failed ?? 0,
    ...readingOf(record),
    certified: record.certified ?? false,
    held: record.held,
    pinned: pinOf(record),
    command: record.command,
    approved: record.approved_at !== null,
    withheld: record.counts?.withheld ?? 0,
    notes: record.counts?.notes ?? [],
    output: record.manifest_sha256 !== null ? packFolder({ ...context, integrationId, runId }) : null,
    page: pageOf(context, record),
    ...(error === null ? {} : { error }),
  }
}

/**
 * Returns the pin because of which the plan of a run was not sent; null if the plan was not stopped by a pin.
 */
function pinOf({ pinned, status }: RunRecord): RunReport['pinned'] {
  const isStored = status === 'planned' || status === 'held'
  return pinned !== null && isStored ? pick(pinned, 'since', 'until', 'reason') : null
}

/** Returns the page of a plan that waits; null if the run has none. */
function pageOf(context: Context, { integration_id: integrationId, run_id: runId, status }: RunRecord) {
  if (status !== 'held' && status !== 'planned') return null
  const page = join(packFolder({ ...context, integrationId, runId }), REPORT_FILE)
  return existsSync(page) ? page : null
}

/**
 * Returns how the source was read. Keys are sorted, so that their order does not depend on the database
 * engine.
 */
function readingOf({ counts }: RunRecord): Pick<RunReport, 'reading' | 'missed' | 'readings'> {
  const { readings, missed = {} } = counts ?? {}
  const isOfChanges = Object.values(readings ?? {}).some(({ since }) => since !== null)
  return {
    reading: isOfChanges ? 'changes' : 'full',
    missed: inByteOrder(missed, ({ count, fields }) => ({
      count,
      fields: inByteOrder(fields, (records) => records),
    })),
    ...(readings && {
      readings: inByteOrder(readings, (one) => pick(one, 'mark', 'since', 'full', 'lastFull', 'nextFull')),
    }),
  }
}

function inByteOrder<Of>(by: Readonly<Record<string, Of>>, map: (value: Of) => Of): Record<string, Of> {
  const sorted = Object.entries(by).sort(([one], [other]) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  )
  return Object.fromEntries(sorted.map(([key, value]) => [key, map(value)]))
}
