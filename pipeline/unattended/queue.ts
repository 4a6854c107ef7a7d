import { fromKysely, PgBoss } from 'pg-boss'
import type { Database } from '../../sql/database.ts'
import { MADE_AT_ONCE } from '../../sql/statements.ts'

/** Schema of the tables that pg-boss makes and upgrades by itself. */
const QUEUE_SCHEMA = 'queue'
/** Integrations whose turn it is, or will be. */
export const TURNS = 'turns'
/** Turns that failed too often; one stands until a run of its integration succeeds. */
const GIVEN_UP = 'given-up'

const DAY_SECONDS = 86_400

/** A worker that was not heard of for so long is taken for dead. The embedded database keeps it waiting for a whole merge. */
const HEARTBEAT_SECONDS = { postgres: 15, pglite: 300 } as const
/** Tries of one turn before it is given up: the first, and this many more. */
const RETRIES = 8

/** An integration's turn to be run, as one worker holds it. */
export interface Turn {
  readonly id: string
  /** Tries before this one; with the id it says whose try it is. */
  readonly retryCount: number
  readonly integrationId: string
}

/** A turn that was given up. */
export interface GivenUp {
  readonly integration: string
  readonly at: string
  readonly tries: number
  readonly error: string
}

/** The turns of all workers, in the database. */
export interface Queue {
  readonly boss: PgBoss
  /** Takes turns that are due, none of these integrations. */
  take(count: number, but: readonly string[]): Promise<readonly Turn[]>
  /** Says that these are still worked at. */
  beat(turns: readonly Turn[]): Promise<void>
  /** Ends a turn for good, and what was given up of its integration before. */
  end(turn: Turn): Promise<void>
  /** Ends a try: it is another one's turn after a growing wait, or it is given up. */
  fail(turn: Turn, error: string): Promise<void>
  /** Puts a turn back without counting it as a try. */
  putBack(turn: Turn, afterSeconds: number): Promise<void>
  /** Makes it an integration's turn now, unless it is at work. */
  call(integrationId: string): Promise<void>
  givenUp(integrationId?: string): Promise<readonly GivenUp[]>
  /** Takes away what waits, or was given up, of integrations that are no longer there. */
  forget(isThere: (integrationId: string) => boolean): Promise<void>
  close(): Promise<void>
}

/** How a turn is filed: one an integration, waiting or at work; another one that comes due meanwhile is passed over. */
export function filedAs(integrationId: string) {
  return { singletonKey: integrationId, group: { id: integrationId } }
}

/**
 * Opens the queue, whose tables are made or upgraded where that is needed.
 *
 * @param ticks whether this process keeps the clock and looks after what dead workers left
 * @param onTrouble told what went wrong meanwhile; it goes on by itself
 */
export async function openQueue(
  database: Database,
  ticks: boolean,
  onTrouble: (error: Error) => void,
): Promise<Queue> {
  const boss = new PgBoss({
    db: database,
    backend: database.engine,
    schema: QUEUE_SCHEMA,
    schedule: ticks,
    supervise: ticks,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    cronMonitorIntervalSeconds: 10,
    cronWorkerIntervalSeconds: 2,
  })
  boss.on('error', onTrouble)
  await boss.start().catch((error: unknown) => {
    // Another process makes its tables at this moment: they are there now.
    if (!(error instanceof Error && 'code' in error && error.code === MADE_AT_ONCE)) throw error
    return boss.start()
  })
  await boss.createQueue(GIVEN_UP, { retentionSeconds: 365 * DAY_SECONDS, retryLimit: 0 })
  const settings = {
    heartbeatSeconds: HEARTBEAT_SECONDS[database.engine],
    expireInSeconds: DAY_SECONDS - 1,
    retryLimit: RETRIES,
    retryDelay: 10,
    retryBackoff: true,
    retryDelayMax: 600,
    deadLetter: GIVEN_UP,
  }
  await boss.createQueue(TURNS, { policy: 'exclusive', ...settings })
  // One that an earlier version made keeps its tables and gets these settings.
  await boss.updateQueue(TURNS, settings)
  return onBoss(boss, database)
}

function onBoss(boss: PgBoss, database: Database): Queue {
  const attemptOf = ({ id, retryCount }: Turn) => ({ id, retryCount })
  const find = (name: string, integrationId?: string) =>
    boss.findJobs<object>(name, integrationId === undefined ? {} : { key: integrationId })

  async function clearGivenUp(integrationId: string): Promise<void> {
    const ids = (await find(GIVEN_UP, integrationId)).map(({ id }) => id)
    if (ids.length > 0) await boss.deleteJob(GIVEN_UP, ids)
  }

  return {
    boss,
    async take(count, but) {
      const taken = await boss.fetch(TURNS, {
        batchSize: count,
        includeMetadata: true,
        ...(but.length === 0 ? {} : { ignoreGroups: [...but] }),
      })
      return taken.map(({ id, retryCount, singletonKey }) => {
        return { id, retryCount, integrationId: singletonKey ?? '' }
      })
    },
    async beat(turns) {
      await boss.touch(TURNS, turns.map(attemptOf))
    },
    async end(turn) {
      await boss.complete(TURNS, attemptOf(turn))
      await clearGivenUp(turn.integrationId)
    },
    async fail(turn, error) {
      await boss.fail(TURNS, attemptOf(turn), { error })
    },
    async putBack(turn, afterSeconds) {
      // In one transaction: a death between the two would lose the turn.
      await database.transaction(async (transaction) => {
        const db = fromKysely(transaction)
        await boss.complete(TURNS, attemptOf(turn), null, { db })
        await boss.send(TURNS, {}, { ...filedAs(turn.integrationId), startAfter: afterSeconds, db })
      })
    },
    async call(integrationId) {
      await boss.upsert(TURNS, {}, { ...filedAs(integrationId), startAfter: 0 })
    },
    async givenUp(integrationId) {
      return (await find(GIVEN_UP, integrationId)).map((one) => ({
        integration: one.singletonKey ?? '',
        at: one.createdOn.toISOString(),
        tries: (one.sourceRetryCount ?? 0) + 1,
        error: errorIn(one.sourceOutput),
      }))
    },
    async forget(isThere) {
      for (const name of [TURNS, GIVEN_UP]) {
        const gone = (await find(name)).filter(({ state, singletonKey }) => {
          return (state === 'created' || state === 'retry') && !isThere(singletonKey ?? '')
        })
        if (gone.length > 0) {
          await boss.deleteJob(
            name,
            gone.map(({ id }) => id),
          )
        }
      }
    },
    close: () => boss.stop({ graceful: false, close: false }),
  }
}

/** What `fail` has told; the queue's own words are of a worker that was not heard of any more. */
function errorIn(output: unknown): string {
  const error: unknown = Reflect.get(Object(output), 'error')
  return typeof error === 'string' ? error : 'its worker died, or lost the database'
}
