import { sql } from 'kysely'
import type * as pgBoss from 'pg-boss'
import type { Database } from '../../sql/database.ts'
import { UNIQUE_VIOLATION } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import { messageOf } from '../runtime/message-of.ts'
import { systemCodeOf } from '../runtime/not-writable.ts'
import { timesAfter } from '../settings/cron.ts'
import { UserError } from '../settings/errors.ts'

/**
 * Name of the schema that contains the tables of pg-boss, the job queue. pg-boss creates and upgrades its
 * tables.
 */
export const QUEUE_SCHEMA = 'queue'
/** Each job is one scheduled run of an integration. */
export const JOBS = 'jobs'
/**
 * Queue of jobs whose retries are used up. A job stays in this queue until a run of its integration succeeds.
 */
const GIVEN_UP = 'given-up'

const DAY_SECONDS = 86_400

/**
 * A worker that sends no heartbeat for this time is considered dead. On the embedded database, a heartbeat
 * may have to wait until a whole merge has ended.
 */
const HEARTBEAT_SECONDS = { postgres: 15, pglite: 300 } as const
/**
 * Interval at which one worker looks for dead workers. One worker looks for dead workers on behalf of all
 * workers. If this worker dies, the others notice it within twice the interval.
 */
export const SUPERVISE_SECONDS = 5
/**
 * How long a finished job stays in the queue, and how often such jobs are deleted: in all less than an hour.
 * The run tables keep the runs of finished jobs.
 */
const FINISHED_SECONDS = { stay: 3000, lookEvery: 300 }
/** Number of retries of a job before it is given up. */
const RETRIES = 8
/** Minimum time between two looks for schedules that have come due, by all workers together. */
const ADD_EVERY_MS = 8_000

export interface Job {
  readonly id: string
  /** Number of attempts before this one. The id of the job and this count identify the attempt. */
  readonly retryCount: number
  readonly integrationId: string
  /** True if a person asked for the run. */
  readonly isByHand: boolean
}

/** A job that is due, and that no worker has taken. */
export type WaitingJob = Pick<Job, 'integrationId' | 'isByHand'> & { readonly dueAtMs: number }

export interface DueJobs {
  readonly waiting: readonly WaitingJob[]
  /** Integrations whose jobs are taken, by this worker or by others. */
  readonly running: readonly string[]
}

/** Chooses the integrations whose jobs are taken, at most `count`. */
export type Choose = (due: DueJobs, count: number) => Promise<readonly string[]>

/** Priority of a job that a person asked for. Other jobs have the priority 0. */
const BY_HAND = 1

/** The job queue in the database. The queue contains the jobs of all workers. */
export type Queue = ReturnType<typeof onBoss>

/**
 * Returns the keys by which the queue stores the jobs of an integration. An integration has at most one job
 * that is waiting or running. If another job of the integration becomes due, it is dropped.
 */
export function filedAs(integrationId: string) {
  return { singletonKey: integrationId, group: { id: integrationId } }
}

/**
 * Opens the queue, and creates or upgrades its tables.
 *
 * @param runsMaintenance true if this process takes over the jobs of dead workers
 * @param onTrouble called for faults from which the queue recovers by itself
 * @throws UserError if the schema of the queue belongs to another application
 */
export async function openQueue(
  database: Database,
  runsMaintenance: boolean,
  onTrouble: (error: Error) => void,
): Promise<Queue> {
  // pg-boss is loaded only if a command opens a queue, because it takes longer to load than all other modules
  // together.
  const { PgBoss, fromKysely } = await import('pg-boss')
  await requireOwnSchema(database)
  const boss = new PgBoss({
    db: database,
    backend: database.engine,
    schema: QUEUE_SCHEMA,
    // `addDue` does this instead, since pg-boss skips or repeats a run when the clocks are changed.
    schedule: false,
    supervise: runsMaintenance,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: FINISHED_SECONDS.lookEvery,
  })
  boss.on('error', onTrouble)
  try {
    await boss.start().catch((error: unknown) => {
      // Another process has created the tables at the same moment.
      if (systemCodeOf(error) !== UNIQUE_VIOLATION) throw error
      return boss.start()
    })
    await boss.createQueue(GIVEN_UP, { retentionSeconds: 365 * DAY_SECONDS, retryLimit: 0 })
    const settings = {
      heartbeatSeconds: HEARTBEAT_SECONDS[database.engine],
      expireInSeconds: DAY_SECONDS - 1,
      retryLimit: RETRIES,
      // The retry delay that is set here applies to the jobs of dead workers, which other workers take over.
      // For a failed job, the function `fail` sets the delay.
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 600,
      deadLetter: GIVEN_UP,
      deleteAfterSeconds: FINISHED_SECONDS.stay,
    }
    await boss.createQueue(JOBS, { policy: 'exclusive', ...settings })
    // If `updateQueue` were not called, an existing queue would keep its old settings.
    await boss.updateQueue(JOBS, settings)
  } catch (error) {
    // If pg-boss were not stopped, its timers would keep the process alive.
    await boss.stop({ graceful: false })
    throw error
  }
  return onBoss(boss, database, fromKysely, onTrouble)
}

const ownTable = `
select to_regclass('${QUEUE_SCHEMA}.version')::text from pg_namespace where nspname = '${QUEUE_SCHEMA}'`

/**
 * Throws an error if the schema exists and pg-boss did not create it. If the schema belonged to another
 * application, pg-boss would add its tables to it.
 */
async function requireOwnSchema(database: Database): Promise<void> {
  for await (const { rows } of database.readOnly(ownTable)) {
    if (rows.every(([table]) => table !== null)) continue
    throw new UserError(
      'state',
      `the database has a schema named ${QUEUE_SCHEMA} that event-content-sync did not make`,
      'rename it, since the jobs of workers are kept in a schema of that name; nothing was made',
    )
  }
}

/** Returns true if the tables of pg-boss exist; it does not create them. */
export async function hasQueue({ executeSql }: Pick<Database, 'executeSql'>): Promise<boolean> {
  const { rows } = await executeSql(`select to_regclass('${QUEUE_SCHEMA}.version') is not null as "isThere"`)
  return (rows as readonly { isThere: boolean }[]).some(({ isThere }) => isThere)
}

/** Returns, for each integration, when a worker last stored its schedule. */
export async function findSchedules(database: Database): Promise<ReadonlyMap<string, Date>> {
  if (!(await hasQueue(database))) return new Map()
  const { rows } = await database.executeSql(
    `select key as integration, created_on as since from ${QUEUE_SCHEMA}.schedule where name = '${JOBS}'`,
  )
  return new Map(
    (rows as readonly { integration: string; since: Date | string }[]).map((row) => [
      row.integration,
      new Date(row.since),
    ]),
  )
}

/**
 * Returns how many jobs are due and not taken yet, and for how long the oldest of them has been due, in
 * seconds.
 */
export async function findBacklog(
  database: Pick<Database, 'executeSql'>,
): Promise<{ readonly waiting: number; readonly oldestWaitSeconds: number }> {
  if (!(await hasQueue(database))) return { waiting: 0, oldestWaitSeconds: 0 }
  const { rows } = await database.executeSql(`
    select
      count(*)::integer as "waiting",
      coalesce(extract(epoch from now() - min(start_after)), 0)::double precision as "oldestWaitSeconds"
    from ${QUEUE_SCHEMA}.job
    where name = '${JOBS}'
      and state in ('created', 'retry')
      and start_after <= now()`)
  const [backlog] = rows as readonly { waiting: number; oldestWaitSeconds: number }[]
  return backlog ?? { waiting: 0, oldestWaitSeconds: 0 }
}

/** Chooses the jobs that have been due for the longest time. */
const longestDue: Choose = async ({ waiting }, count) =>
  waiting
    .toSorted((one, other) => one.dueAtMs - other.dueAtMs)
    .slice(0, count)
    .map(({ integrationId }) => integrationId)

/** Finds the jobs that are due or running. */
async function findDue(database: Pick<Database, 'executeSql'>): Promise<DueJobs> {
  const { rows } = await database.executeSql(`
    select
      singleton_key as "integrationId",
      state = 'active' as "isRunning",
      priority >= ${BY_HAND} as "isByHand",
      (extract(epoch from start_after) * 1000)::double precision as "dueAtMs"
    from ${QUEUE_SCHEMA}.job
    where name = '${JOBS}'
      and singleton_key is not null
      and (state = 'active' or state in ('created', 'retry') and start_after <= ${QUEUE_SCHEMA}.job_now())`)
  const jobs = rows as readonly (WaitingJob & { readonly isRunning: boolean })[]
  return {
    waiting: jobs.filter(({ isRunning }) => !isRunning),
    running: jobs.filter(({ isRunning }) => isRunning).map(({ integrationId }) => integrationId),
  }
}

/** If the database has a queue, deletes the schedule and the jobs of an integration. */
export async function eraseFromQueue(database: Database, integrationId: string): Promise<void> {
  if (!(await hasQueue(database))) return
  await database.executeSql(`delete from ${QUEUE_SCHEMA}.schedule where key = $1`, [integrationId])
  await database.executeSql(`delete from ${QUEUE_SCHEMA}.job where singleton_key = $1`, [integrationId])
}

/**
 * Changes the id of an integration in its schedule and its jobs, if the database has a queue. If a worker has
 * already made a schedule or jobs for the new id, these stay and the old ones are deleted.
 */
export async function renameInQueue(transaction: Db, from: string, to: string): Promise<void> {
  const { rows } = await sql<{ isThere: boolean }>`
    select to_regclass(${`${QUEUE_SCHEMA}.version`}) is not null as "isThere"`.execute(transaction)
  if (rows[0]?.isThere !== true) return
  const schedule = sql.table(`${QUEUE_SCHEMA}.schedule`)
  const job = sql.table(`${QUEUE_SCHEMA}.job`)
  await sql`
    update ${schedule} as moved
    set key = ${to}, options = options || ${JSON.stringify({ ...filedAs(to), key: to })}::jsonb
    where key = ${from}
      and not exists (select from ${schedule} as other where other.name = moved.name and other.key = ${to})
  `.execute(transaction)
  await sql`
    update ${job} as moved
    set singleton_key = ${to}, group_id = ${to}
    where singleton_key = ${from}
      and not exists (select from ${job} as other where other.name = moved.name and other.singleton_key = ${to})
  `.execute(transaction)
  await sql`delete from ${schedule} where key = ${from}`.execute(transaction)
  await sql`delete from ${job} where singleton_key = ${from}`.execute(transaction)
}

interface StoredSchedule {
  readonly key: string
  readonly cron: string
  readonly timeZone: string
  readonly offsetSeconds: number
  readonly sinceMs: number
}

/**
 * Reads the schedules with the span of time since any worker last looked for due ones, and notes that a worker
 * has looked. Returns null if this was a moment ago.
 */
async function findSpan(transaction: Db) {
  const version = sql.table(`${QUEUE_SCHEMA}.version`)
  // The lock makes other workers wait until the jobs are there.
  const { rows } = await sql<{ readonly lastMs: number | null; readonly nowMs: number }>`
    select (extract(epoch from cron_on) * 1000)::double precision as "lastMs",
      (extract(epoch from now()) * 1000)::double precision as "nowMs"
    from ${version}
    for update`.execute(transaction)
  const [{ lastMs, nowMs } = { lastMs: null, nowMs: 0 }] = rows
  if (lastMs !== null && nowMs - lastMs < ADD_EVERY_MS) return null
  await sql`update ${version} set cron_on = now()`.execute(transaction)
  const schedules = await sql<StoredSchedule>`
    select key, cron, timezone as "timeZone", (options ->> 'startAfter')::integer as "offsetSeconds",
      (extract(epoch from created_on) * 1000)::double precision as "sinceMs"
    from ${sql.table(`${QUEUE_SCHEMA}.schedule`)}
    where name = ${JOBS}`.execute(transaction)
  return { fromMs: lastMs ?? 0, toMs: nowMs, schedules: schedules.rows }
}

function onBoss(
  boss: pgBoss.PgBoss,
  database: Database,
  fromKysely: typeof pgBoss.fromKysely,
  onTrouble: (error: Error) => void,
) {
  const attemptOf = ({ id, retryCount }: Job) => ({ id, retryCount })
  const find = (name: string, integrationId?: string) =>
    boss.findJobs<object>(name, integrationId === undefined ? {} : { key: integrationId })

  async function remove(name: string, jobs: readonly { readonly id: string }[]): Promise<void> {
    const ids = jobs.map(({ id }) => id)
    if (ids.length > 0) await boss.deleteJob(name, ids)
  }

  function isDue({ key, cron, timeZone, sinceMs }: StoredSchedule, fromMs: number, toMs: number): boolean {
    try {
      const [timeMs = toMs] = timesAfter({ cron, timeZone }, Math.max(fromMs, sinceMs), 1)
      return timeMs <= toMs
    } catch (cause) {
      onTrouble(new Error(`the schedule of ${key} is left out: ${messageOf(cause)}`, { cause }))
      return false
    }
  }

  return {
    boss,
    /**
     * Adds a job for each schedule that has come due since a worker last looked: one job, even if several of its
     * times have passed.
     */
    async addDue() {
      await database.transaction(async (transaction) => {
        const span = await findSpan(transaction)
        const due = span?.schedules.filter((one) => isDue(one, span.fromMs, span.toMs)) ?? []
        if (due.length === 0) return
        const jobs = due.map(({ key, offsetSeconds }) => ({ ...filedAs(key), startAfter: offsetSeconds }))
        await boss.insert(JOBS, jobs, { db: fromKysely(transaction) })
      })
    },
    /**
     * Takes jobs that are due, but none of the excluded integrations. If another worker takes the same jobs at
     * the same time, this worker gets fewer jobs.
     */
    async take(
      count: number,
      excluding: readonly string[],
      choose: Choose = longestDue,
    ): Promise<readonly Job[]> {
      const excluded = new Set(excluding)
      const due = await findDue(database)
      const waiting = due.waiting.filter(({ integrationId }) => !excluded.has(integrationId))
      if (waiting.length === 0) return []
      const ids = waiting.map(({ integrationId }) => integrationId)
      const chosen = new Set(await choose({ ...due, waiting }, count))
      if (chosen.size === 0) return []
      const ignoreGroups = [...excluding, ...ids.filter((id) => !chosen.has(id))]
      const taken = await boss.fetch(JOBS, {
        batchSize: chosen.size,
        includeMetadata: true,
        ...(ignoreGroups.length === 0 ? {} : { ignoreGroups }),
      })
      return taken.map(({ id, retryCount, singletonKey, priority }) => {
        return { id, retryCount, integrationId: singletonKey ?? '', isByHand: priority >= BY_HAND }
      })
    },
    /** Sends a heartbeat for jobs that are still running. */
    async beat(jobs: readonly Job[]) {
      await boss.touch(JOBS, jobs.map(attemptOf))
    },
    /** Completes a job, and deletes earlier jobs of its integration that were given up. */
    async end(job: Job) {
      await boss.complete(JOBS, attemptOf(job))
      await remove(GIVEN_UP, await find(GIVEN_UP, job.integrationId))
    },
    /**
     * Records that an attempt of a job failed. The job waits for its next attempt. If its retries are used
     * up, it is given up.
     */
    async fail(job: Job, error: string, afterSeconds: number) {
      await database.transaction(async (transaction) => {
        const db = fromKysely(transaction)
        await boss.fail(JOBS, attemptOf(job), { error }, { db })
        await boss.update(JOBS, {}, { id: job.id, startAfter: afterSeconds, db })
      })
    },
    /**
     * Returns a job to the queue; this is not counted as an attempt. Everything happens in one transaction,
     * so that a crash cannot lose the job.
     *
     * @param integrationId id under which the job waits: another one if the integration was renamed
     */
    async putBack(job: Job, afterSeconds: number, integrationId = job.integrationId) {
      await database.transaction(async (transaction) => {
        const db = fromKysely(transaction)
        await boss.complete(JOBS, attemptOf(job), null, { db })
        const priority = job.isByHand ? BY_HAND : 0
        await boss.send(JOBS, {}, { ...filedAs(integrationId), startAfter: afterSeconds, priority, db })
      })
    },
    /**
     * Makes the job of an integration due now, and before the jobs of schedules, except if a job of the
     * integration is running.
     */
    async call(integrationId: string) {
      await boss.upsert(JOBS, {}, { ...filedAs(integrationId), startAfter: 0, priority: BY_HAND })
    },
    async givenUp(integrationId?: string) {
      return (await find(GIVEN_UP, integrationId)).map((one) => ({
        integration: one.singletonKey ?? '',
        at: one.createdOn.toISOString(),
        tries: (one.sourceRetryCount ?? 0) + 1,
        error: errorIn(one.sourceOutput),
      }))
    },
    /**
     * Deletes the jobs of integrations that no longer exist, both waiting jobs and jobs that were given up.
     */
    async forget(isThere: (integrationId: string) => boolean) {
      for (const name of [JOBS, GIVEN_UP]) {
        const gone = (await find(name)).filter(({ state, singletonKey }) => {
          return (state === 'created' || state === 'retry') && !isThere(singletonKey ?? '')
        })
        await remove(name, gone)
      }
    },
    close: () => boss.stop({ graceful: false, close: false }),
  }
}

/**
 * Returns the error text that the worker passed to `fail`. An error of the queue itself means that a
 * heartbeat was missing.
 */
function errorIn(output: unknown): string {
  const error: unknown = Reflect.get(Object(output), 'error')
  return typeof error === 'string' ? error : 'its worker crashed, or lost its connection to the database'
}
