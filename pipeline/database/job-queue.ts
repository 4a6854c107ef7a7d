import type * as pgBoss from 'pg-boss'
import type { Database } from '../../sql/database.ts'
import { UNIQUE_VIOLATION } from '../../sql/database.ts'
import { systemCodeOf } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'

/** Schema of the tables of pg-boss, which makes and upgrades them. */
export const QUEUE_SCHEMA = 'queue'
/** Each job is one scheduled run of an integration. */
export const JOBS = 'turns'
/** Jobs that failed too often; each stays until a run of its integration succeeds. */
const GIVEN_UP = 'given-up'

const DAY_SECONDS = 86_400

/** A worker without a heartbeat for this long counts as dead; the embedded database makes it wait for a whole merge. */
const HEARTBEAT_SECONDS = { postgres: 15, pglite: 300 } as const
/** Workers look for dead ones this often: one of them does it for all, and the others notice within twice that time if it is the dead one. */
export const SUPERVISE_SECONDS = 5
/** How long a finished job stays, since its runs are in the ledger, and how often they are looked for: together under an hour. */
const FINISHED_SECONDS = { stay: 3000, lookEvery: 300 }
/** Tries of one job, after the first, before it is given up. */
const RETRIES = 8

export interface Job {
  readonly id: string
  /** Tries before this one; id and count identify the try. */
  readonly retryCount: number
  readonly integrationId: string
}

/** The jobs of all workers, in the database. */
export type Queue = ReturnType<typeof onBoss>

/** Keys of a job: an integration has one, waiting or running; another one that comes due meanwhile is dropped. */
export function filedAs(integrationId: string) {
  return { singletonKey: integrationId, group: { id: integrationId } }
}

/**
 * Opens the queue, and makes or upgrades its tables.
 *
 * @param runsMaintenance true if this process starts scheduled runs and takes over those of dead workers
 * @param onTrouble called with faults, from which the queue recovers by itself
 * @throws UserError if the schema of the queue is there and has another use
 */
export async function openQueue(
  database: Database,
  runsMaintenance: boolean,
  onTrouble: (error: Error) => void,
): Promise<Queue> {
  // Loaded only where a queue is opened: it takes longer than all else that a command loads.
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
      // Another process has just made the tables.
      if (systemCodeOf(error) !== UNIQUE_VIOLATION) throw error
      return boss.start()
    })
    await boss.createQueue(GIVEN_UP, { retentionSeconds: 365 * DAY_SECONDS, retryLimit: 0 })
    const settings = {
      heartbeatSeconds: HEARTBEAT_SECONDS[database.engine],
      expireInSeconds: DAY_SECONDS - 1,
      retryLimit: RETRIES,
      // For jobs of dead workers, which others take over; one that failed waits as long as `fail` is asked to.
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 600,
      deadLetter: GIVEN_UP,
      deleteAfterSeconds: FINISHED_SECONDS.stay,
    }
    await boss.createQueue(JOBS, { policy: 'exclusive', ...settings })
    // A queue that is there keeps its settings otherwise.
    await boss.updateQueue(JOBS, settings)
  } catch (error) {
    // Else its timers keep the process alive.
    await boss.stop({ graceful: false })
    throw error
  }
  return onBoss(boss, database, fromKysely)
}

const ownTable = `
select to_regclass('${QUEUE_SCHEMA}.version')::text from pg_namespace where nspname = '${QUEUE_SCHEMA}'`

/** Without this check pg-boss would make its tables beside those of another application. */
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

/** Says if pg-boss has made its tables, without making them. */
export async function hasQueue({ executeSql }: Pick<Database, 'executeSql'>): Promise<boolean> {
  const { rows } = await executeSql(`select to_regclass('${QUEUE_SCHEMA}.version') is not null as "isThere"`)
  return (rows as readonly { isThere: boolean }[]).some(({ isThere }) => isThere)
}

/** Since when workers have known each integration's schedule. */
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

/** Takes the schedule and the jobs of an integration out of the queue, if there is one. */
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
    /** Takes jobs that are due, except of these integrations. */
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
    /** Says that these jobs are still running. */
    async beat(jobs: readonly Job[]) {
      await boss.touch(JOBS, jobs.map(attemptOf))
    },
    /** Ends a job for good, and removes what was given up of its integration. */
    async end(job: Job) {
      await boss.complete(JOBS, attemptOf(job))
      await remove(GIVEN_UP, await find(GIVEN_UP, job.integrationId))
    },
    /** Ends a try: the job waits for the next one, or is given up. */
    async fail(job: Job, error: string, afterSeconds: number) {
      await database.transaction(async (transaction) => {
        const db = fromKysely(transaction)
        await boss.fail(JOBS, attemptOf(job), { error }, { db })
        await boss.update(JOBS, {}, { id: job.id, startAfter: afterSeconds, db })
      })
    },
    /** Puts a job back without counting it as a try; in one transaction, so that a crash does not lose it. */
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
    /** Removes what waits, or was given up, of integrations that are no longer there. */
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

/** The error given to `fail`; the queue's own errors mean that no heartbeat came. */
function errorIn(output: unknown): string {
  const error: unknown = Reflect.get(Object(output), 'error')
  return typeof error === 'string' ? error : 'its worker crashed, or lost its connection to the database'
}
