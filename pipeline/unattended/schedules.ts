import { findRuns } from '../../loaders/ledger.ts'
import type { Context } from '../run-context.ts'
import { nextDue, offsetSeconds, onTheClock } from './due.ts'
import { filedAs, type GivenUp, type Queue, TURNS } from './queue.ts'

/** When an integration runs, and how it went last. */
export interface Scheduled {
  readonly integration: string
  /** Null, as the rest of it, where it runs only when told. */
  readonly cron: string | null
  readonly timeZone: string | null
  readonly offsetSeconds: number | null
  /** The next time in UTC, and on the clock of the zone. */
  readonly next: string | null
  readonly nextLocal: string | null
  readonly lastRun: { readonly run: string; readonly status: string; readonly startedAt: string } | null
  /** The last of its turns that were given up since a run of it succeeded. */
  readonly givenUp: Omit<GivenUp, 'integration'> | null
}

/**
 * Brings the schedules in the database in line with the configuration.
 *
 * @returns integrations whose schedules were taken away
 */
export async function alignSchedules(context: Context, queue: Queue): Promise<readonly string[]> {
  const { config } = context
  const known = new Set((await queue.boss.getSchedules(TURNS)).map(({ key }) => key))
  for (const { id, schedule } of config.integrations) {
    if (schedule === undefined) continue
    const startAfter = offsetSeconds(id, schedule)
    await queue.boss.schedule(
      TURNS,
      schedule.cron,
      {},
      // What came due while no worker ran is made up for once.
      { ...filedAs(id), key: id, tz: schedule.timeZone, startAfter, missed: 'once' },
    )
    known.delete(id)
  }
  for (const id of known) await queue.boss.unschedule(TURNS, id)
  await queue.forget((id) => config.integrations.some((integration) => integration.id === id))
  return [...known]
}

/** Integrations of the configuration whose schedules in the database are other ones, and those that it does not have. */
export async function differingSchedules({ config }: Context, queue: Queue): Promise<readonly string[]> {
  const found = await queue.boss.getSchedules(TURNS)
  const stored = new Map(found.map(({ key, cron, timezone }) => [key, `${cron} ${timezone}`]))
  const wanted = new Map(
    config.integrations.flatMap(({ id, schedule }) =>
      schedule === undefined ? [] : [[id, `${schedule.cron} ${schedule.timeZone}`] as const],
    ),
  )
  return [...new Set([...stored.keys(), ...wanted.keys()])].filter((id) => stored.get(id) !== wanted.get(id))
}

/** Every integration of the configuration, in its order. */
export async function describeSchedules(context: Context, queue: Queue): Promise<readonly Scheduled[]> {
  const { config, database, environment } = context
  const givenUp = new Map<string, Omit<GivenUp, 'integration'>>()
  for (const { integration, ...one } of await queue.givenUp()) {
    if (one.at > (givenUp.get(integration)?.at ?? '')) givenUp.set(integration, one)
  }
  const described: Scheduled[] = []
  for (const { id, schedule } of config.integrations) {
    const [last] = await findRuns(database.kysely, { integrationId: id }, 1)
    const lastRun =
      last === undefined
        ? null
        : { run: last.run_id, status: last.status, startedAt: last.started_at.toISOString() }
    const rest = { lastRun, givenUp: givenUp.get(id) ?? null }
    if (schedule === undefined) {
      const none = { cron: null, timeZone: null, offsetSeconds: null, next: null, nextLocal: null }
      described.push({ integration: id, ...none, ...rest })
      continue
    }
    const { cron, timeZone } = schedule
    const offset = offsetSeconds(id, schedule)
    const dueMs = nextDue(schedule, offset, environment.now())
    const next = new Date(dueMs).toISOString()
    const nextLocal = onTheClock(dueMs, timeZone)
    described.push({ integration: id, cron, timeZone, offsetSeconds: offset, next, nextLocal, ...rest })
  }
  return described
}
