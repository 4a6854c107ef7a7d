import { isDeepStrictEqual } from 'node:util'
import { type Expression, type ExpressionBuilder, type SqlBool, sql, type Updateable } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type {
  ChangeState,
  Content,
  CustomFields,
  Db,
  GapPack,
  HintName,
  Hold,
  KnownSuppressions,
  Pin,
  RunCounts,
  RunKey,
  RunStatus,
  StoredCommand,
  Tables,
} from '../../sql/tables.ts'
import { keepConfiguration } from './configurations.ts'

export interface NewRun extends RunKey {
  readonly command: StoredCommand
  /** Run whose state a rollback restores; left out for other commands. */
  readonly rollbackTo?: string
  readonly startedAt: string
  readonly startedBy: string
  readonly productVersion: string
  /** Text of the effective configuration, without secrets. */
  readonly configuration: string
  readonly contents: readonly Content[]
  readonly platformRevision: string
  /** Name of the event in headings; null if the configuration has no name. */
  readonly eventName: string | null
  readonly silencedHints: readonly HintName[]
  readonly timeZone: string | null
  readonly custom: CustomFields
  /** Time at which the next scheduled run is due; null without a schedule. */
  readonly nextDueAt: string | null
  readonly maxQuarantined: number
}

export async function openRun(db: Db, run: NewRun): Promise<void> {
  const configHash = await keepConfiguration(db, run.integrationId, run.configuration)
  await db
    .updateTable('sync.runs')
    .set({ status: 'abandoned', finished_at: run.startedAt })
    .where(({ and }) => and({ integration_id: run.integrationId, status: 'running' }))
    .execute()
  await db
    .insertInto('sync.runs')
    .values({
      integration_id: run.integrationId,
      run_id: run.runId,
      command: run.command,
      rollback_to: run.rollbackTo ?? null,
      status: 'running',
      started_at: run.startedAt,
      started_by: run.startedBy,
      product_version: run.productVersion,
      config_hash: configHash,
      contents: run.contents,
      base: run.platformRevision,
      event_name: run.eventName,
      silenced_hints: run.silencedHints,
      time_zone: run.timeZone,
      custom: JSON.stringify(run.custom),
      next_due_at: run.nextDueAt,
      max_quarantined: String(run.maxQuarantined),
    })
    .execute()
}

/** Columns that are recorded during a run; JSON columns are given as values. */
type RunUpdate = Omit<
  Updateable<Tables['sync.runs']>,
  'held' | 'pinned' | 'counts' | 'gap' | 'suppressions'
> & {
  readonly held?: Hold | null
  readonly pinned?: Pin | null
  readonly counts?: RunCounts
  readonly gap?: readonly GapPack[]
  readonly suppressions?: KnownSuppressions | null
}

export async function updateRun(db: Db, integrationId: string, runId: string, update: RunUpdate) {
  const { held, pinned = null, counts, gap, suppressions = null, ...plain } = update
  await db
    .updateTable('sync.runs')
    .set({
      ...plain,
      ...(held === undefined ? {} : { held: held === null ? null : JSON.stringify(held) }),
      ...(pinned === null ? {} : { pinned: JSON.stringify(pinned) }),
      ...(counts === undefined ? {} : { counts: JSON.stringify(counts) }),
      ...(gap === undefined ? {} : { gap: JSON.stringify(gap) }),
      ...(suppressions === null ? {} : { suppressions: JSON.stringify(suppressions) }),
    })
    .$call(ofRun({ integrationId, runId }))
    .execute()
}

/**
 * Gives a run a fence number (a counter by which a platform refuses outdated runs) that is higher than all
 * earlier fence numbers of the integration. A run that already has a fence number keeps it, so that a
 * repeated batch has the same bytes.
 */
export async function takeFence(transaction: Db, { integrationId, runId }: RunKey): Promise<number> {
  const run = await transaction
    .selectFrom('sync.runs')
    .$call(ofRun({ integrationId, runId }))
    .select('fence')
    .executeTakeFirstOrThrow()
  if (run.fence !== null) return Number(run.fence)
  const { fence } = await transaction
    .updateTable('sync.integrations')
    .set((eb) => ({ fence: eb('fence', '+', eb.lit(1)) }))
    .where('integration_id', '=', integrationId)
    .returning('fence')
    .executeTakeFirstOrThrow()
  await transaction
    .updateTable('sync.runs')
    .set({ fence: String(fence) })
    .$call(ofRun({ integrationId, runId }))
    .execute()
  return Number(fence)
}

/**
 * Takes back the last fence number, which the platform refused. The refusal shows that this database is
 * outdated until the platform is read back.
 */
export async function takeFenceBack(transaction: Db, integrationId: string): Promise<void> {
  await transaction
    .updateTable('sync.integrations')
    .set((eb) => ({ fence: eb('fence', '-', eb.lit(1)) }))
    .where('integration_id', '=', integrationId)
    .execute()
}

/**
 * Marks all runs of an integration that are being applied as failed. A run in progress changed items on the
 * platform, and these changes are no longer known. Therefore the run must not continue.
 */
export async function giveUpRuns(transaction: Db, integrationId: string, error: string, now: string) {
  await transaction
    .updateTable('sync.runs')
    .set({ status: 'failed', finished_at: now, error })
    .where('integration_id', '=', integrationId)
    .where('status', 'in', ['applying', 'applied'])
    .execute()
}

/**
 * Checks that a run is being applied, and locks the run's row until the transaction ends. The check stops a
 * process that lost its lock, for example with its connection: another process may have continued the run.
 * The check also stops a run whose platform event another integration has taken over. The other integration
 * plans from its own reading of the platform.
 */
export async function requireApplying(transaction: Db, { integrationId, runId }: RunKey): Promise<void> {
  const run = await transaction
    .selectFrom('sync.runs')
    .$call(ofRun({ integrationId, runId }))
    .forUpdate()
    .select('status')
    .executeTakeFirst()
  const taken = await transaction
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .where('owns_platform_event', '=', false)
    .select('integration_id')
    .executeTakeFirst()
  if (taken !== undefined) {
    throw new Error(
      `another integration took over the platform event of ${integrationId}, so run ${runId} stopped sending; give one of the two another platform event`,
    )
  }
  if (run?.status === 'applying') return
  throw new Error(
    `another process continued run ${runId} of ${integrationId} (status: ${run?.status ?? 'deleted'}); wait until it ends`,
  )
}

/**
 * Counts the changes of a run that the platform rejected, and the changes that this product withheld.
 *
 * @throws Error if the result of a change is unknown
 */
export async function countResults(
  db: Db,
  run: RunKey,
): Promise<{ readonly failed: number; readonly withheld: number }> {
  const states = await db
    .selectFrom('sync.changes')
    .$call(ofRun(run))
    .groupBy('state')
    .select((eb) => ['state', eb.fn.countAll<string>().as('count')])
    .execute()
  const of = (state: ChangeState) => Number(states.find((row) => row.state === state)?.count ?? 0)
  const unsettled = of('pending') + of('sent')
  if (unsettled > 0) throw new Error(`changes with an unknown outcome: ${unsettled}`)
  return { failed: of('failed'), withheld: of('withheld') }
}

/**
 * Counts withheld removals, all upserts and rejected upserts, for each content that has withheld removals.
 */
export async function countWithheld(db: Db, run: RunKey) {
  const rows = await db
    .selectFrom('sync.changes')
    .$call(ofRun(run))
    .groupBy('content')
    .orderBy('content')
    .having(sql<boolean>`bool_or(state = 'withheld')`)
    .select([
      'content',
      sql<string>`count(*) filter (where state = 'withheld')`.as('withheld'),
      sql<string>`count(*) filter (where action <> 'remove')`.as('upserts'),
      sql<string>`count(*) filter (where action <> 'remove' and state = 'failed')`.as('rejected'),
    ])
    .execute()
  return rows.map(({ content, ...counts }) => ({
    content,
    withheld: Number(counts.withheld),
    upserts: Number(counts.upserts),
    rejected: Number(counts.rejected),
  }))
}

/**
 * Deletes encrypted passwords that are no longer needed. A password is not needed if the platform already has
 * the attendee, or if the attendee should not be on the platform.
 */
export async function forgetIdlePasswords(transaction: Db, integrationId: string): Promise<void> {
  await transaction
    .deleteFrom('sync.passwords as password')
    .where('password.integration_id', '=', integrationId)
    .where(({ exists, not, or, selectFrom }) =>
      or([
        exists(
          selectFrom('sync.platform_items as item')
            .where(({ and }) => and({ 'item.integration_id': integrationId, 'item.content': 'attendees' }))
            .whereRef('item.unique_id', '=', 'password.unique_id')
            .select('item.unique_id'),
        ),
        not(
          exists(
            selectFrom('sync.desired_items as desired')
              .where(({ and }) =>
                and({ integration_id: integrationId, content: 'attendees', valid_to_run: null }),
              )
              .whereRef('desired.unique_id', '=', 'password.unique_id')
              .select('desired.unique_id'),
          ),
        ),
      ]),
    )
    .execute()
}

export type RunRecord = Awaited<ReturnType<typeof findRuns>>[number]

export async function hasApplied(db: Db, integrationId: string): Promise<boolean> {
  const run = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('applied_at', 'is not', null)
    .limit(1)
    .select('run_id')
    .executeTakeFirst()
  return run !== undefined
}

/**
 * Records that a run has written its pack, which becomes the last pack of the integration.
 *
 * @param manifestSha256 SHA-256 of the pack's manifest
 */
export async function recordPack(transaction: Db, { integrationId, runId }: RunKey, manifestSha256: string) {
  await updateRun(transaction, integrationId, runId, { manifest_sha256: manifestSha256 })
  await transaction
    .updateTable('sync.integrations')
    .set({ last_pack_run: runId })
    .where('integration_id', '=', integrationId)
    .execute()
}

/**
 * Returns the SHA-256 of the manifest of the integration's last pack; null before the first pack. The last pack
 * is the pack that was written last. It is stored, because neither run ids nor timestamps give this order: a
 * user may approve a plan after later runs, and a clock may be wrong. The hashes do not give it either: if
 * `forget` writes a pack again, later packs still name its earlier manifest.
 */
export async function lastManifest(db: Db, integrationId: string): Promise<string | null> {
  const row = await db
    .selectFrom('sync.integrations as integration')
    .innerJoin('sync.runs as run', (join) =>
      join
        .onRef('run.integration_id', '=', 'integration.integration_id')
        .onRef('run.run_id', '=', 'integration.last_pack_run'),
    )
    .where('integration.integration_id', '=', integrationId)
    .select('run.manifest_sha256')
    .executeTakeFirst()
  return row?.manifest_sha256 ?? null
}

/** Returns the run that wrote the integration's last pack; null before the first pack. */
export async function findLastPackRun(db: Db, integrationId: string): Promise<string | null> {
  const row = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('last_pack_run')
    .executeTakeFirst()
  return row?.last_pack_run ?? null
}

/** Finds the runs whose packs still contain a forgotten person, and must be written again. */
export async function findPacksToRewrite(db: Db, integrationId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('sync.runs')
    .where(({ and }) => and({ integration_id: integrationId, reissue_due: true }))
    .select('run_id')
    .execute()
  return rows.map(({ run_id }) => run_id)
}

interface RunFilter {
  readonly integrationId?: string | undefined
  readonly runId?: string | undefined
  readonly statuses?: readonly RunStatus[]
  readonly planHash?: string
  readonly hasPlan?: boolean
  /** If set, finds only runs that began at this time or later. */
  readonly since?: Date
}

/** Returns the newest run that matches the filter; undefined if no run matches. */
export async function findRun(db: Db, filter: RunFilter): Promise<RunRecord | undefined> {
  const [run] = await findRuns(db, filter, 1)
  return run
}

/** Returns the id of the integration's newest run with a pack; null if no run has a pack. */
export async function lastPack(db: Db, integrationId: string): Promise<string | null> {
  const run = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('manifest_sha256', 'is not', null)
    .orderBy('run_id', 'desc')
    .limit(1)
    .select('run_id')
    .executeTakeFirst()
  return run?.run_id ?? null
}

/**
 * Returns the number of bytes by which the last run of any integration enlarged the embedded database; 0 on
 * PostgreSQL.
 */
export async function findGrowth(db: Db): Promise<number> {
  const sizes = await db
    .selectFrom('sync.runs')
    .where('database_bytes', 'is not', null)
    .orderBy('run_id', 'desc')
    .limit(2)
    .select('database_bytes')
    .execute()
  const [last = 0, before = last] = sizes.map(({ database_bytes }) => Number(database_bytes))
  return Math.max(0, last - before)
}

/**
 * Returns the newest run of each of the given integrations, with one query. Integrations without runs are
 * left out.
 */
export function findNewestRuns(
  db: Db,
  integrationIds: readonly string[],
  statuses: readonly RunStatus[] | null = null,
): Promise<ReadonlyMap<string, RunRecord>> {
  return findNewestOf(db, integrationIds, null, ({ eb, lit }) =>
    statuses === null ? lit(true) : eb('status', 'in', statuses),
  )
}

/**
 * Finds the run that determines the state of each of the given integrations, with one query. This is the
 * newest run that neither only planned nor is under way. If the integration is pinned, the newest run that
 * sent nothing because of the pin can also determine the state.
 *
 * @param pinned integrations that are pinned now
 * @param locked integrations on which a process works
 * @param lookedAt maximum number of runs of an integration that are looked at
 */
export function findDecidingRuns(
  db: Db,
  integrationIds: readonly string[],
  { pinned, locked }: { readonly pinned: readonly string[]; readonly locked: readonly string[] },
  lookedAt: number,
): Promise<ReadonlyMap<string, RunRecord>> {
  const isOf = (ids: readonly string[]) => sql<boolean>`recent.integration_id = any(${[...ids]}::text[])`
  return findNewestOf(db, integrationIds, lookedAt, ({ and, eb, not, or }) => {
    const isUnfinished = eb('status', 'in', ['running', 'applying', 'applied'])
    const isPinnedRun = and([eb('command', '=', 'run'), eb('pinned', 'is not', null)])
    return and([
      eb('status', '<>', 'abandoned'),
      or([not(isUnfinished), not(isOf(locked))]),
      or([eb('status', '<>', 'planned'), and([isPinnedRun, isOf(pinned)])]),
    ])
  })
}

/**
 * Finds the newest run of each integration that meets a condition.
 *
 * @param lookedAt maximum number of runs of an integration that are looked at; null if there is no maximum
 */
async function findNewestOf(
  db: Db,
  integrationIds: readonly string[],
  lookedAt: number | null,
  condition: (runs: ExpressionBuilder<{ recent: Tables['sync.runs'] }, 'recent'>) => Expression<SqlBool>,
): Promise<ReadonlyMap<string, RunRecord>> {
  const runs = await db
    .selectFrom(sql<{ id: string }>`unnest(${[...integrationIds]}::text[])`.as<'named'>(sql`named (id)`))
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom(
          selectFrom('sync.runs')
            .whereRef('integration_id', '=', 'named.id')
            .orderBy('run_id', 'desc')
            .$if(lookedAt !== null, (query) => query.limit(lookedAt ?? 0))
            .selectAll()
            .as('recent'),
        )
          .where(condition)
          .orderBy('recent.run_id', 'desc')
          .limit(1)
          .selectAll()
          .as('run'),
      (join) => join.onTrue(),
    )
    .selectAll('run')
    .execute()
  return new Map(runs.map((run) => [run.integration_id, run]))
}

/** Finds the runs whose id begins or ends with the given text, newest first. */
export function findRunsByPart(db: Db, part: string, limit: number) {
  const id = sql<string>`run_id::text`
  return db
    .selectFrom('sync.runs')
    .where((eb) => eb.or([eb(id, 'like', `${part}%`), eb(id, 'like', `%${part}`)]))
    .orderBy('run_id', 'desc')
    .limit(limit)
    .selectAll()
    .execute()
}

/** Finds the hashes of an integration's plans that begin with the given text. */
export async function findPlanHashes(db: Db, integrationId: string, start: string, limit: number) {
  const rows = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('plan_hash', 'like', `${start}%`)
    .distinct()
    .limit(limit)
    .select('plan_hash')
    .execute()
  return rows.flatMap(({ plan_hash }) => plan_hash ?? [])
}

/** Finds runs that match the filter, newest first. @param limit maximum number of runs; if left out, finds all */
export function findRuns(db: Db, filter: RunFilter, limit?: number) {
  return db
    .selectFrom('sync.runs')
    .$if(filter.integrationId !== undefined, (query) =>
      query.where('integration_id', '=', filter.integrationId ?? ''),
    )
    .$if(filter.runId !== undefined, (query) => query.where('run_id', '=', filter.runId ?? ''))
    .$if(filter.statuses !== undefined, (query) => query.where('status', 'in', [...(filter.statuses ?? [])]))
    .$if(filter.since !== undefined, (query) => query.where('started_at', '>=', filter.since ?? new Date(0)))
    .$if(filter.hasPlan === true, (query) => query.where('plan_hash', 'is not', null))
    .$if(filter.planHash !== undefined, (query) => query.where('plan_hash', '=', filter.planHash ?? ''))
    .orderBy('run_id', 'desc')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .selectAll()
    .execute()
}

/** Counts the excluded records of a run by reason, and its quarantined records, over all contents. */
export async function countDecisions(db: Db, run: RunKey, resourceOf: ReadonlyMap<Content, string>) {
  const decided = await db
    .selectFrom('sync.decisions')
    .where('integration_id', '=', run.integrationId)
    .where('content', 'in', [...resourceOf.keys()])
    .where(({ and }) => and({ valid_to_run: null, decision: 'excluded' }))
    .groupBy('reason')
    .select((eb) => ['reason', eb.fn.countAll<string>().as('count')])
    .execute()
  const rejected = await db
    .selectFrom('sync.unstaged')
    .$call(ofRun(run))
    .groupBy(['resource', 'reason'])
    .select((eb) => ['resource', 'reason', eb.fn.countAll<string>().as('count')])
    .execute()
  const excluded = new Map(decided.map(({ reason, count }) => [reason, Number(count)]))
  let quarantined = 0
  for (const { resource, reason, count } of rejected) {
    if (reason === 'invalid_record') quarantined += Number(count)
    else {
      const contents = [...resourceOf.values()].filter((name) => name === resource).length
      if (contents > 0) excluded.set(reason, (excluded.get(reason) ?? 0) + contents * Number(count))
    }
  }
  return {
    excluded: Object.fromEntries([...excluded].sort(([one], [other]) => (one < other ? -1 : 1))),
    quarantined,
  }
}

/** Returns the certificates of a run (proofs that a resource was read completely), sorted by resource. */
export async function findCertificates(db: Db, run: RunKey) {
  const rows = await db
    .selectFrom('sync.certificates')
    .$call(ofRun(run))
    .orderBy('resource')
    .selectAll()
    .execute()
  return rows.map((row) => ({
    resource: row.resource,
    certified: row.certified,
    requests: row.requests,
    attempts: row.attempts,
    bytes: Number(row.bytes),
    elements: Number(row.elements),
    distinctIds: row.distinct_ids === null ? null : Number(row.distinct_ids),
    declared: row.declared === null ? null : Number(row.declared),
    end: row.end_proof,
    detail: row.detail,
    confirmed: row.confirmed,
    // The key `forgotten` is left out if it is zero, so that manifests of earlier product versions keep their
    // bytes.
    ...(Number(row.forgotten) === 0 ? {} : { forgotten: Number(row.forgotten) }),
  }))
}

/**
 * Returns the times of the first and the last answer that a run has read. If the run continued an earlier run,
 * the first answer may have come before the run began.
 */
export async function findAnswerTimes(db: Db, run: RunKey) {
  const { first, last } = await db
    .selectFrom('sync.certificates')
    .$call(ofRun(run))
    .select(({ fn }) => [fn.min('first_answer_at').as('first'), fn.max('last_answer_at').as('last')])
    .executeTakeFirstOrThrow()
  return { firstAnswerAt: first?.toISOString() ?? null, lastAnswerAt: last?.toISOString() ?? null }
}

/** Returns the source's answers that a run has read, sorted by resource and page, without their times. */
export async function findRequests(db: Db, run: RunKey) {
  const rows = await db
    .selectFrom('sync.requests')
    .where('integration_id', '=', run.integrationId)
    .where(({ eb, fn, selectFrom, val }) => {
      const another = selectFrom('sync.runs').$call(ofRun(run)).select('answers_of')
      return eb('run_id', '=', fn.coalesce(another, val(run.runId)))
    })
    .orderBy('resource')
    .orderBy('page')
    .select(['resource', 'page', 'url', 'status', 'bytes', 'sha256', 'elements'])
    .execute()
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }))
}

/**
 * Deletes the answers of a run that has ended, if the last run with a pack has read the same ones. Their long
 * addresses are most of what an unchanged run leaves in the database.
 *
 * @returns for column `sync.runs.answers_of`: the earlier run whose stored answers are the same; null if the
 *   answers stay stored for this run
 */
export async function shareAnswers(
  db: Db,
  run: RunKey,
  lastPacked: PackedRun | undefined,
): Promise<string | null> {
  const answers = await findRequests(db, run)
  if (lastPacked === undefined || answers.length === 0) return null
  const known = await findRequests(db, { ...run, runId: lastPacked.run_id })
  if (!isDeepStrictEqual(known, answers)) return null
  await db.deleteFrom('sync.requests').$call(ofRun(run)).execute()
  return lastPacked.answers_of
}

/** A run with a pack, and the runs that have its figures and its answers. */
export interface PackedRun {
  readonly run_id: string
  readonly figures_of: string
  readonly answers_of: string
}

/** Finds the last run with a pack that was not purged. */
export function findLastPacked(db: Db, integrationId: string): Promise<PackedRun | undefined> {
  return db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('manifest_sha256', 'is not', null)
    .where('purged_at', 'is', null)
    .orderBy('run_id', 'desc')
    .limit(1)
    .select(({ fn }) => [
      'run_id',
      fn.coalesce('figures_of', 'run_id').as('figures_of'),
      fn.coalesce('answers_of', 'run_id').as('answers_of'),
    ])
    .executeTakeFirst()
}

/** Number of changes and duration of a run, for charts. */
export interface RunSize {
  /** Number of changes in the plan; 0 for a run without a plan. */
  readonly changes: number
  readonly removals: number
  readonly seconds: number
  /** True if the run failed. */
  readonly hasFailed: boolean
}

/** Finds the sizes of the last ended runs of the given integrations, oldest run first. One query for all. */
export async function findRunSizes(
  db: Db,
  integrationIds: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, readonly RunSize[]>> {
  const sumOf = (...actions: readonly string[]) =>
    sql<string>`coalesce(sum(${sql.join(
      actions.map((action) => sql`coalesce((of.counts ->> ${sql.lit(action)})::bigint, 0)`),
      sql` + `,
    )}), 0)`
  const rows = await db
    .selectFrom(sql<{ id: string }>`unnest(${[...integrationIds]}::text[])`.as<'named'>(sql`named (id)`))
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('sync.runs')
          .whereRef('integration_id', '=', 'named.id')
          .where((eb) => eb.or([eb('command', '=', 'run'), eb('applied_at', 'is not', null)]))
          .where('finished_at', 'is not', null)
          .where('status', '<>', 'abandoned')
          .orderBy('run_id', 'desc')
          .limit(limit)
          .select(['run_id', 'status', 'started_at', 'planned_at', 'approved_at', 'finished_at', 'counts'])
          .as('run'),
      (join) => join.onTrue(),
    )
    // One subquery for all sums takes a quarter of the time of a subquery for each.
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom(sql`jsonb_each(run.counts -> 'changes')`.as(sql`of (content, counts)`))
          .select([
            sumOf('create', 'update', 'handover', 'remove').as('changes'),
            sumOf('remove').as('removals'),
          ])
          .as('sums'),
      (join) => join.onTrue(),
    )
    .orderBy('named.id')
    .orderBy('run.run_id')
    .select(['named.id', 'run.status', 'sums.changes', 'sums.removals'])
    .select([
      // The days that a plan waits for approval are not part of a run's duration.
      sql<string>`extract(epoch from case
        when run.approved_at is null then run.finished_at - run.started_at
        else run.planned_at - run.started_at + (run.finished_at - run.approved_at)
      end)`.as('seconds'),
    ])
    .execute()
  const sizes = rows.map(({ id, status, changes, removals, seconds }) => ({
    id,
    changes: Number(changes),
    removals: Number(removals),
    seconds: Math.max(0, Number(seconds)),
    hasFailed: status === 'failed',
  }))
  const byId = Map.groupBy(sizes, ({ id }) => id)
  return new Map([...byId].map(([id, of]) => [id, of.map(({ id: _, ...size }) => size)]))
}

/**
 * Counts, for each integration, the given runs for which the database has recorded a pack. One query for all.
 */
export async function countRunsWithPack(
  db: Db,
  runs: readonly RunKey[],
): Promise<ReadonlyMap<string, number>> {
  const ids = runs.map(({ integrationId }) => integrationId)
  const named = sql<{
    id: string
    run: string
  }>`unnest(${ids}::text[], ${runs.map(({ runId }) => runId)}::uuid[])`
  const rows = await db
    .selectFrom(named.as<'named'>(sql`named (id, run)`))
    .innerJoin('sync.runs as run', (join) =>
      join.onRef('run.integration_id', '=', 'named.id').onRef('run.run_id', '=', 'named.run'),
    )
    .where('run.manifest_sha256', 'is not', null)
    .groupBy('named.id')
    .select(({ fn }) => ['named.id', fn.countAll<string>().as('count')])
    .execute()
  return new Map(rows.map(({ id, count }) => [id, Number(count)]))
}
