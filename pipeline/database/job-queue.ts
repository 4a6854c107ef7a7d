import type * as pgBoss from 'pg-boss'
import type { Database } from '../../sql/database.ts'
import { UNIQUE_VIOLATION } from '../../sql/database.ts'
import { systemCodeOf } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'

/** Schema with the tables of pg-boss. pg-boss makes and upgrades them. */
export const QUEUE_SCHEMA = 'queue'
/** Each job is one scheduled run of an integration. */
export const JOBS = 'jobs'
/** Queue of jobs that failed too often. Each job stays there until a run of its integration succeeds. */
const GIVEN_UP = 'given-up'

const DAY_SECONDS = 86_400

/**
 * A worker without a heartbeat for this time counts as dead. On the embedded database a heartbeat may wait
 * for a whole merge.
 */
const HEARTBEAT_SECONDS = { postgres: 15, pglite: 300 } as const
/**
 * How often dead workers are looked for. One worker does this for all. If that worker dies, the others notice
 * within twice this time.
 */
export const SUPERVISE_SECONDS = 5
/**
 * How long a finished job stays, and how often such jobs are deleted: together under an hour. Its runs
 * are in the ledger.
 */
const FINISHED_SECONDS = { stay: 3000, lookEvery: 300 }
/** Number of retries of a job until it is given up. */
const RETRIES = 8

export interface Job {
  readonly id: string
  /** Number of earlier tries. Id and count identify this try. */
  readonly retryCount: number
  readonly integrationId: string
}

/** The queue in the database, with the jobs of all workers. */
export type Queue = ReturnType<typeof onBoss>

/**
 * Returns the keys of a job. An integration has at most one job, waiting or running; another job that comes
 * due is dropped.
 */
export function filedAs(integrationId: string) {
  return { singletonKey: integrationId, group: { id: integrationId } }
}

/**
 * Opens the queue, and makes or upgrades its tables.
 *
 * @param runsMaintenance true if this process starts scheduled runs and takes over those of dead workers
 * @param onTrouble called with faults from which the queue recovers by itself
 * @throws UserError if the schema of the queue exists but belongs to another application
 */
export async function openQueue(
  database: Database,
  runsMaintenance: boolean,
  onTrouble: (error: Error) => void,
): Promise<Queue> {
  // pg-boss is loaded only if a queue is opened: it takes longer than all other modules of a command.
  const { PgBoss, fromKysely } = await import('pg-boss')
  await requireOwnSchema(database)
  const boss = new PgBoss({
    db: database,
    backend: database.engine,
    schema: QUEUE_SCHEMA,
    schedule: runsMaintenance,
    supervise: runsMaintenance,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: FINISHED_SECONDS.lookEvery,
    cronMonitorIntervalSeconds: 10,
    cronWorkerIntervalSeconds: 2,
  })
  boss.on('error', onTrouble)
  try {
    await boss.start().catch((error: unknown) => {
      // Another process has made the tables at the same time.
      if (systemCodeOf(error) !== UNIQUE_VIOLATION) throw error
      return boss.start()
    })
    await boss.createQueue(GIVEN_UP, { retentionSeconds: 365 * DAY_SECONDS, retryLimit: 0 })
    const settings = {
      heartbeatSeconds: HEARTBEAT_SECONDS[database.engine],
      expireInSeconds: DAY_SECONDS - 1,
      retryLimit: RETRIES,
      // This delay is for jobs of dead workers, which other workers take over. For failed jobs `fail` sets
      // the delay.
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 600,
      deadLetter: GIVEN_UP,
      deleteAfterSeconds: FINISHED_SECONDS.stay,
    }
    await boss.createQueue(JOBS, { policy: 'exclusive', ...settings })
    // Without this, an existing queue would keep its old settings.
    await boss.updateQueue(JOBS, settings)
  } catch (error) {
    // Otherwise its timers keep the process alive.
    await boss.stop({ graceful: false })
    throw error
  }
  return onBoss(boss, database, fromKysely)
}

const ownTable = `
select to_regclass('${QUEUE_SCHEMA}.version')::text from pg_namespace where nspname = '${QUEUE_SCHEMA}'`

/**
 * Refuses a schema that pg-boss did not make. Otherwise pg-boss would add its tables to those of another
 * application.
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

/** Returns true if the tables of pg-boss exist. It does not make them. */
export async function hasQueue({ executeSql }: Pick<Database, 'executeSql'>): Promise<boolean> {
  const { rows } = await executeSql(`select to_regclass('${QUEUE_SCHEMA}.version') is not null as "isThere"`)
  return (rows as readonly { isThere: boolean }[]).some(({ isThere }) => isThere)
}

/** Finds when workers stored the schedule of each integration. */
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

/** Deletes the schedule and the jobs of an integration, if the database has a queue. */
export async function eraseFromQueue(database: Database, integrationId: string): Promise<void> {
  if (!(await hasQueue(database))) return
  await database.executeSql(`delete from ${QUEUE_SCHEMA}.schedule where key = $1`, [integrationId])
  await database.executeSql(`delete from ${QUEUE_SCHEMA}.job where singleton_key = $1`, [integrationId])
}

function onBoss(boss: pgBoss.PgBoss, database: Database, fromKysely: typeof pgBoss.fromKysely) {
  const attemptOf = ({ id, retryCount }: Job) => ({ id, retryCount })
  const find = (name: string, integrationId?: string) =>
    boss.findJobs<object>(name, integrationId === undefined ? {} : { key: integrationId })

  async function remove(name: string, jobs: readonly { readonly id: string }[]): Promise<void> {
    const ids = jobs.map(({ id }) => id)
    if (ids.length > 0) await boss.deleteJob(name, ids)
  }

  return {
    boss,
    /** Takes due jobs, except jobs of the excluded integrations. */
    async take(count: number, excluding: readonly string[]): Promise<readonly Job[]> {
      const taken = await boss.fetch(JOBS, {
        batchSize: count,
        includeMetadata: true,
        ...(excluding.length === 0 ? {} : { ignoreGroups: [...excluding] }),
      })
      return taken.map(({ id, retryCount, singletonKey }) => {
        return { id, retryCount, integrationId: singletonKey ?? '' }
      })
    },
    /** Sends a heartbeat for jobs that are still running. */
    async beat(jobs: readonly Job[]) {
      await boss.touch(JOBS, jobs.map(attemptOf))
    },
    /** Completes a job, and deletes the jobs of its integration that were given up. */
    async end(job: Job) {
      await boss.complete(JOBS, attemptOf(job))
      await remove(GIVEN_UP, await find(GIVEN_UP, job.integrationId))
    },
    /** Ends a failed try. The job waits for its next try, or is given up. */
    async fail(job: Job, error: string, afterSeconds: number) {
      await database.transaction(async (transaction) => {
        const db = fromKysely(transaction)
        await boss.fail(JOBS, attemptOf(job), { error }, { db })
        await boss.update(JOBS, {}, { id: job.id, startAfter: afterSeconds, db })
      })
    },
    /**
     * Puts a job back without counting a try. It uses one transaction, so that a crash does not lose the job.
     */
    async putBack(job: Job, afterSeconds: number) {
      await database.transaction(async (transaction) => {
        const db = fromKysely(transaction)
        await boss.complete(JOBS, attemptOf(job), null, { db })
        await boss.send(JOBS, {}, { ...filedAs(job.integrationId), startAfter: afterSeconds, db })
      })
    },
    /** Makes a job due now, unless one is running. */
    async call(integrationId: string) {
      await boss.upsert(JOBS, {}, { ...filedAs(integrationId), startAfter: 0 })
    },
    async givenUp(integrationId?: string) {
      return (await find(GIVEN_UP, integrationId)).map((one) => ({
        integration: one.singletonKey ?? '',
        at: one.createdOn.toISOString(),
        tries: (one.sourceRetryCount ?? 0) + 1,
        error: errorIn(one.sourceOutput),
      }))
    },
    /** Deletes jobs, waiting or given up, of integrations that no longer exist. */
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
 * Returns the error that was passed to `fail`. Errors of the queue itself mean that a heartbeat was missing.
 */
function errorIn(output: unknown): string {
  const error: unknown = Reflect.get(Object(output), 'error')
  return typeof error === 'string' ? error : 'its worker crashed, or lost its connection to the database'
}
