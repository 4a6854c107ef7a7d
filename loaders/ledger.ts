import type { Kysely } from 'kysely'
import type { ChangeState, Content, Hold, RunCounts, RunKey, RunStatus, Tables } from '../sql/tables.ts'

/** A run as it is opened. */
export interface NewRun {
  readonly integrationId: string
  readonly runId: string
  readonly command: 'run' | 'plan'
  readonly startedAt: string
  readonly startedBy: string
  readonly productVersion: string
  readonly configHash: string
  readonly contents: readonly Content[]
  readonly base: string
  /** `source.timeZone`; null where there is none. */
  readonly timeZone: string | null
}

/** Opens a run; earlier runs that died before their plan was stored are abandoned. */
export async function openRun(db: Kysely<Tables>, run: NewRun): Promise<void> {
  await db
    .updateTable('sync.runs')
    .set({ status: 'abandoned', finished_at: run.startedAt })
    .where('integration_id', '=', run.integrationId)
    .where('status', '=', 'running')
    .execute()
  await db
    .insertInto('sync.runs')
    .values({
      integration_id: run.integrationId,
      run_id: run.runId,
      command: run.command,
      status: 'running',
      started_at: run.startedAt,
      started_by: run.startedBy,
      product_version: run.productVersion,
      config_hash: run.configHash,
      contents: run.contents,
      base: run.base,
      time_zone: run.timeZone,
    })
    .execute()
}

/** What is recorded of a run as it goes on. */
export interface RunUpdate {
  readonly status?: RunStatus
  readonly planned_at?: string
  readonly applied_at?: string
  readonly finished_at?: string
  readonly approved_by?: string
  readonly approved_at?: string
  readonly plan_hash?: string
  readonly base?: string
  readonly certified?: boolean
  readonly held?: Hold | null
  readonly counts?: RunCounts
  readonly error?: string | null
  readonly manifest_sha256?: string
  readonly previous_manifest_sha256?: string | null
  readonly personal_data?: 'full' | 'masked'
  readonly excel?: boolean
  readonly reissue_due?: boolean
}

export async function updateRun(
  db: Kysely<Tables>,
  integrationId: string,
  runId: string,
  update: RunUpdate,
): Promise<void> {
  const { held, counts, ...plain } = update
  await db
    .updateTable('sync.runs')
    .set({
      ...plain,
      ...(held === undefined ? {} : { held: held === null ? null : JSON.stringify(held) }),
      ...(counts === undefined ? {} : { counts: JSON.stringify(counts) }),
    })
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .execute()
}

/**
 * Gives a run its fence number, higher than that of any before; a run that has one keeps it, so that what it sends
 * again has the same bytes.
 */
export async function takeFence(
  transaction: Kysely<Tables>,
  { integrationId, runId }: RunKey,
): Promise<number> {
  const run = await transaction
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
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
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .execute()
  return Number(fence)
}

/**
 * Makes sure that a run is being applied, and stays so until the transaction ends: a process whose lock was lost, as
 * with its connection, must not record anything once another one has gone on.
 */
export async function requireApplying(
  transaction: Kysely<Tables>,
  { integrationId, runId }: RunKey,
): Promise<void> {
  const run = await transaction
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .forUpdate()
    .select('status')
    .executeTakeFirst()
  if (run?.status === 'applying') return
  throw new Error(
    `another process has gone on with run ${runId} of ${integrationId} (${run?.status ?? 'gone'})`,
  )
}

/**
 * Changes of a run that the platform rejected, and those that were left out.
 *
 * @throws where it is not known what became of a change
 */
export async function countOutcomes(
  db: Kysely<Tables>,
  { integrationId, runId }: RunKey,
): Promise<{ readonly failed: number; readonly withheld: number }> {
  const states = await db
    .selectFrom('sync.changes')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .groupBy('state')
    .select((eb) => ['state', eb.fn.countAll<string>().as('count')])
    .execute()
  const of = (state: ChangeState) => Number(states.find((row) => row.state === state)?.count ?? 0)
  const unsettled = of('pending') + of('sent')
  if (unsettled > 0) throw new Error(`it is not known what became of ${unsettled} changes`)
  return { failed: of('failed'), withheld: of('withheld') }
}

/**
 * Forgets sealed passwords that no attendee will be created with any more: the platform has them, or the plan has not.
 */
export async function forgetIdlePasswords(transaction: Kysely<Tables>, integrationId: string): Promise<void> {
  await transaction
    .deleteFrom('sync.passwords as password')
    .where('password.integration_id', '=', integrationId)
    .where(({ exists, not, or, selectFrom }) =>
      or([
        exists(
          selectFrom('sync.platform_items as item')
            .where('item.integration_id', '=', integrationId)
            .where('item.content', '=', 'attendees')
            .whereRef('item.unique_id', '=', 'password.unique_id')
            .select('item.unique_id'),
        ),
        not(
          exists(
            selectFrom('sync.desired_items as desired')
              .where('desired.integration_id', '=', integrationId)
              .where('desired.content', '=', 'attendees')
              .where('desired.valid_to_run', 'is', null)
              .whereRef('desired.unique_id', '=', 'password.unique_id')
              .select('desired.unique_id'),
          ),
        ),
      ]),
    )
    .execute()
}

/** A run as the ledger has it. */
export type RunRecord = Awaited<ReturnType<typeof findRuns>>[number]

/** Whether a plan of the integration has ever landed. */
export async function hasApplied(db: Kysely<Tables>, integrationId: string): Promise<boolean> {
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
 * SHA-256 of the manifest that no other pack of the integration follows yet; null before the first.
 *
 * The order is that in which packs were written: neither run ids, since a plan may be approved late, nor the clock tell.
 */
export async function lastManifest(db: Kysely<Tables>, integrationId: string): Promise<string | null> {
  const row = await db
    .selectFrom('sync.runs as run')
    .where('run.integration_id', '=', integrationId)
    .where('run.manifest_sha256', 'is not', null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('sync.runs as next')
            .where('next.integration_id', '=', integrationId)
            .whereRef('next.previous_manifest_sha256', '=', 'run.manifest_sha256')
            .select('next.run_id'),
        ),
      ),
    )
    // Packs of a version before 0.2 may have two ends.
    .orderBy('run.finished_at', 'desc')
    .orderBy('run.run_id', 'desc')
    .limit(1)
    .select('run.manifest_sha256')
    .executeTakeFirst()
  return row?.manifest_sha256 ?? null
}

/** Runs of an integration, or of all, the newest first. */
export function findRuns(
  db: Kysely<Tables>,
  filter: {
    readonly integrationId?: string | undefined
    readonly runId?: string | undefined
    readonly statuses?: readonly RunStatus[]
    readonly planHash?: string
  },
  limit = 1000,
) {
  return db
    .selectFrom('sync.runs')
    .$if(filter.integrationId !== undefined, (query) =>
      query.where('integration_id', '=', filter.integrationId ?? ''),
    )
    .$if(filter.runId !== undefined, (query) => query.where('run_id', '=', filter.runId ?? ''))
    .$if(filter.statuses !== undefined, (query) => query.where('status', 'in', [...(filter.statuses ?? [])]))
    .$if(filter.planHash !== undefined, (query) => query.where('plan_hash', '=', filter.planHash ?? ''))
    .orderBy('run_id', 'desc')
    .limit(limit)
    .selectAll()
    .execute()
}

/** Excluded records by reason and quarantined records of a run, over its contents. */
export async function countDecisions(
  db: Kysely<Tables>,
  run: RunKey,
  resourceOf: ReadonlyMap<Content, string>,
): Promise<Pick<RunCounts, 'excluded' | 'quarantined'>> {
  const decided = await db
    .selectFrom('sync.decisions')
    .where('integration_id', '=', run.integrationId)
    .where('content', 'in', [...resourceOf.keys()])
    .where('valid_to_run', 'is', null)
    .where('decision', '=', 'excluded')
    .groupBy('reason')
    .select((eb) => ['reason', eb.fn.countAll<string>().as('count')])
    .execute()
  const aside = await db
    .selectFrom('sync.unstaged')
    .where('integration_id', '=', run.integrationId)
    .where('run_id', '=', run.runId)
    .groupBy(['resource', 'reason'])
    .select((eb) => ['resource', 'reason', eb.fn.countAll<string>().as('count')])
    .execute()
  const excluded = new Map(decided.map(({ reason, count }) => [reason, Number(count)]))
  let quarantined = 0
  for (const { resource, reason, count } of aside) {
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

/** What is known of each resource that a run read, by resource. */
export async function findCertificates(db: Kysely<Tables>, { integrationId, runId }: RunKey) {
  const rows = await db
    .selectFrom('sync.certificates')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
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
    // Left out where there are none: the manifests of before stay as they are.
    ...(Number(row.forgotten) === 0 ? {} : { forgotten: Number(row.forgotten) }),
  }))
}

/** The answers that a run's records were read from, resource by resource in their order. */
export async function findRequests(db: Kysely<Tables>, { integrationId, runId }: RunKey) {
  const rows = await db
    .selectFrom('sync.requests')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .orderBy('resource')
    .orderBy('page')
    .selectAll()
    .execute()
  return rows.map((row) => ({
    resource: row.resource,
    page: row.page,
    url: row.url,
    status: row.status,
    bytes: Number(row.bytes),
    sha256: row.sha256,
    elements: row.elements,
    answeredAt: row.answered_at.toISOString(),
  }))
}
