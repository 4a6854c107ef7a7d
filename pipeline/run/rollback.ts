import type { Kysely } from 'kysely'
import { countDecisions, findRun, type RunRecord } from '../../loaders/ledger/ledger.ts'
import { findBase } from '../../loaders/ledger/stored-plan.ts'
import { findWritingRuns, type WritingRun } from '../../loaders/ledger/writing-runs.ts'
import { CONTENTS, type Content, type CustomFields, countChanges, type Tables } from '../../sql/tables.ts'
import type { RolledBack } from '../../transforms/decide/rolled-back.ts'
import { SUPPRESSED } from '../../transforms/declare/exclude.ts'
import { ROLLED_BACK } from '../../transforms/declare/reasons.ts'
import { type Checked, checkRollback, lastApplied } from '../../transforms/guards/check-plan.ts'
import { toHold } from '../../transforms/guards/guard-finding.ts'
import { makePlan, type Plan } from '../../transforms/plan/plan.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { platformOf } from '../context/connect.ts'
import { type Context, customOf, type RunContext, StepError } from '../context/run-context.ts'
import { findSuppression } from '../context/suppression.ts'
import type { RunReport } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import { transformsOf } from '../sources/registry.ts'
import { targetTypeOf } from '../targets/registry.ts'
import { type Gap, requireUpToDate } from './behind.ts'
import { irremovableOf, noteIrremovable } from './irremovable.ts'
import { recordRun, requireRunnable, requireSettled, withLock } from './recorded-run.ts'
import { showPlan } from './run.ts'
import { requirePromises } from './sql-checks.ts'
import { storePlan } from './store-plan.ts'

/** The run whose state a rollback restores, and the contents and custom fields that it restores. */
type Target = Omit<RolledBack, 'isForgotten'>

/**
 * Makes a plan that gives the platform the items that it had after an earlier run. The function reads the
 * history instead of the source, and sends nothing. The plan waits for `apply`.
 *
 * @param runId the earlier run
 * @throws UserError if the history does not show which items the platform had after that run
 */
export function rollBack(
  context: Context,
  integration: IntegrationConfig,
  runId: string,
): Promise<readonly RunReport[]> {
  return withLock(context, integration, 'rollback', async (locked) => {
    const { takesPlatformEvent } = await requireRunnable(locked, integration)
    const gap = await requireUpToDate(locked, integration, {}, takesPlatformEvent)
    requireNoGap(integration, gap)
    await requireSettled(locked, integration)
    const target = await requireTarget(locked, integration, runId)
    const { contents, custom } = target
    const recorded = { command: 'rollback', rollbackTo: runId, contents, custom } as const
    const report = await recordRun(locked, integration, recorded, gap, async (run) => {
      if (gap.unasked !== null) throw new StepError('refresh', 'platform', gap.unasked)
      await run.database.transaction((transaction) => planRollback(run, transaction, target))
      run.at('plan stored')
      await showPlan(run)
    })
    return [report]
  })
}

/** @throws UserError if the output folder has packs of runs that the database does not know */
function requireNoGap({ id }: IntegrationConfig, { packs }: Gap): void {
  const [first] = packs
  if (first === undefined) return
  throw new UserError(
    'state',
    `this database does not have run ${first.run} of ${id}, whose pack is in the output folder, so the history is not complete`,
    `\`event-sync run ${id}\` goes on from there`,
  )
}

/** @throws UserError if the run did not land, or if the history after the run is not complete */
async function requireTarget(
  { database }: Context,
  integration: IntegrationConfig,
  runId: string,
): Promise<Target> {
  const { id: integrationId } = integration
  const record = await findRun(database.kysely, { runId })
  const todo = `give another run; \`event-sync runs ${integrationId}\` lists them`
  if (record?.integration_id !== integrationId)
    throw new UserError('usage', `run ${runId} is not a run of ${integrationId}`, todo)
  const refuse = (what: string) =>
    new UserError('state', `run ${runId} of ${integrationId} cannot be gone back to: ${what}`, todo)
  if (record.applied_at === null) throw refuse(`it did not land (status: ${record.status})`)
  const { runs, platformBase } = await findWritingRuns(database.kysely, integrationId)
  if (Number(record.base) < platformBase)
    throw refuse('the integration was bound to another platform event since then')
  requireHistory(record, runs, refuse)
  const compared = await lastApplied(database.kysely, integrationId, runId)
  if (compared?.purgedAt != null)
    throw refuse(`guards would then compare with run ${compared.runId}, which was purged`)
  const landed = runs.filter(({ appliedAt }) => appliedAt !== null)
  return {
    to: { integrationId, runId, base: String(record.base) },
    contents: await requireContents(database.kysely, integration, landed, refuse),
    custom: customAfter(record, integration, landed),
  }
}

/**
 * Requires that the database has the complete history after a run. No run after it may be purged, or be
 * missing in this database.
 */
function requireHistory(
  { run_id: runId, base, purged_at: purgedAt }: RunRecord,
  runs: readonly WritingRun[],
  refuse: (what: string) => UserError,
): void {
  if (purgedAt !== null) throw refuse(`it was purged at ${purgedAt.toISOString()}`)
  // Runs without changes leave the revision of the platform as it is. So a run of the same revision landed later
  // if it had changes, and otherwise changed nothing.
  const later = runs.filter((run) => run.base > Number(base))
  const ofSame = runs.filter((run) => run.base === Number(base) && run.runId !== runId)
  const purged = [...ofSame.filter(({ hasChanges }) => hasChanges), ...later].find(
    (run) => run.purgedAt !== null,
  )
  if (purged !== undefined)
    throw refuse(
      `run ${purged.runId}, which landed after it, was purged, so what it changed is no longer known`,
    )
  const gap = [...ofSame.filter((run) => run.runId > runId), ...later].find((run) => run.hasGap)
  if (gap !== undefined)
    throw refuse(
      `before run ${gap.runId}, runs landed that this database does not have, so what they changed is not known`,
    )
}

/**
 * Returns the configured contents whose items on the platform are known. A run must have synced the content.
 * If the platform reports its items, a run must also have read the content back.
 */
async function requireContents(
  db: Kysely<Tables>,
  { id: integrationId, content: configured, platform }: IntegrationConfig,
  landed: readonly WritingRun[],
  refuse: (what: string) => UserError,
): Promise<readonly Content[]> {
  const { contents_read_back: readBack } = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('contents_read_back')
    .executeTakeFirstOrThrow()
  const canBeRead = targetTypeOf(platform).read !== null
  const synced = new Set(landed.flatMap(({ contents }) => contents))
  const contents = configured.filter(
    (content) => synced.has(content) && (!canBeRead || readBack.includes(content)),
  )
  if (contents.length === 0) throw refuse('none of its contents is synced now')
  return contents
}

/**
 * Returns every custom field that an item may have after a rollback. The pack of the rollback has a column
 * for each of these fields. If a field has several definitions, the function returns the definition from the
 * run whose state is restored.
 */
function customAfter(
  record: RunRecord,
  integration: IntegrationConfig,
  landed: readonly WritingRun[],
): CustomFields {
  const all = [...landed.map(({ custom }) => custom), customOf(integration), record.custom]
  return Object.fromEntries(
    CONTENTS.flatMap((content) => {
      const fields = Object.assign({}, ...all.map((custom) => custom[content] ?? {}))
      return Object.keys(fields).length === 0 ? [] : [[content, fields]]
    }),
  )
}

/**
 * Makes the decisions and desired items from the history, and stores the plan that gives the platform these
 * items.
 */
async function planRollback(run: RunContext, transaction: Kysely<Tables>, target: Target): Promise<void> {
  const { integrationId, runId, integration, connected } = run
  await run.step('transform', async () => {
    const suppression = await findSuppression(transaction, run, integration)
    const isForgotten: RolledBack['isForgotten'] =
      suppression &&
      (({ id, addresses }) =>
        suppression.isId(id) || [id, ...addresses].some((address) => suppression.isAddress(address)))
    await connected.makeRolledBack(transaction, runId, { ...target, isForgotten })
    run.at('decisions made')
  })
  await run.step('plan', async () => {
    const { contents, custom, to } = target
    const base = (await findBase(transaction, integrationId)) ?? ''
    const plan = await makePlan(transaction, {
      integrationId,
      runId,
      contents,
      custom,
      // The user asks for each removal of a rollback, so `removals.action: keep` has no effect.
      removals: 'remove',
      irremovable: irremovableOf(integration),
      handover: integration.handover,
      attested: [ROLLED_BACK, SUPPRESSED],
      complete: contents,
      readByChanges: [],
      unread: [],
      target: platformOf(integration).identity,
      platformRevision: base,
      rollbackTo: to.runId,
    })
    const { hits, notes } = await askGuards(run, transaction, plan.changes, contents)
    const held = toHold(hits)
    const resourceOf = new Map([...connected.resourceOf].filter(([one]) => contents.includes(one)))
    const decided = await countDecisions(transaction, run, resourceOf)
    await storePlan(run, transaction, {
      plan,
      base,
      status: held === null ? 'planned' : 'held',
      certified: true,
      held,
      // A rollback can be applied although the integration is pinned.
      pinned: null,
      decided,
      notes: [...run.notes, ...notes, ...noteIrremovable(integration, plan)],
      records: {},
      counts: {},
    })
    await requirePromises(transaction, 'before-apply', run, transformsOf(run.config))
  })
}

async function askGuards(
  { integrationId, runId, integration, environment }: RunContext,
  transaction: Kysely<Tables>,
  changes: Plan['changes'],
  contents: readonly Content[],
): Promise<Checked> {
  if (countChanges(changes) === 0) return { hits: [], notes: [] }
  return checkRollback(transaction, {
    integrationId,
    runId,
    contents,
    changes,
    // The changes of a rollback come from the history, so definitions of custom fields do not explain them.
    custom: [],
    removals: { maxStatedShare: integration.removals.maxStatedShare, nowMs: environment.now() },
    massUpdate: integration.guards.massUpdate,
  })
}
