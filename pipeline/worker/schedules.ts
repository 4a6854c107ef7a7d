import { isDeepStrictEqual } from 'node:util'
import { findNewestRuns } from '../../loaders/ledger/ledger.ts'
import { nextDue, offsetSeconds, onTheClock, type Schedule } from '../config/due.ts'
import type { Context } from '../context/run-context.ts'
import { filedAs, JOBS, type Queue } from '../database/job-queue.ts'
import type { Scheduled } from '../schemas/setup.ts'

/**
 * Updates the schedules in the database, so that they match the configuration.
 *
 * @returns integrations whose schedules were removed
 */
export async function alignSchedules(context: Context, queue: Queue): Promise<readonly string[]> {
  const { config } = context
  const stored = new Map((await queue.boss.getSchedules(JOBS)).map((one) => [one.key, one]))
  for (const { id, schedule } of config.integrations) {
    if (schedule === undefined) continue
    const { cron, timeZone: tz } = schedule
    const startAfter = offsetSeconds(id, schedule)
    const options = { ...filedAs(id), key: id, tz, startAfter }
    const known = stored.get(id)
    // Each call of `schedule` sends one statement. Without this condition, thousands of unchanged schedules are
    // stored again.
    if (known?.cron !== cron || !isDeepStrictEqual(known.options, options))
      await queue.boss.schedule(JOBS, cron, {}, options)
    stored.delete(id)
  }
  const removed = [...stored.keys()]
  for (const id of removed) await queue.boss.unschedule(JOBS, id)
  const ids = new Set(config.integrations.map(({ id }) => id))
  await queue.forget((id) => ids.has(id))
  return removed
}

/** Returns the integrations whose schedules in the database do not match the configuration. */
export async function differingSchedules({ config }: Context, queue: Queue): Promise<readonly string[]> {
  const found = await queue.boss.getSchedules(JOBS)
  const stored = new Map(found.map(({ key, cron, timezone }) => [key, `${cron} ${timezone}`]))
  const wanted = new Map(
    config.integrations.flatMap(({ id, schedule }) =>
      schedule === undefined ? [] : [[id, `${schedule.cron} ${schedule.timeZone}`] as const],
    ),
  )
  return [...new Set([...stored.keys(), ...wanted.keys()])].filter((id) => stored.get(id) !== wanted.get(id))
}

/** Describes the schedule of every integration, in the order of the configuration. */
export async function describeSchedules(
  { config, database, environment }: Context,
  queue: Queue,
): Promise<readonly Scheduled[]> {
  // Jobs that were given up are sorted by time, so that the map below has the last such job of each
  // integration.
  const givenUp = (await queue.givenUp()).toSorted((one, other) => (one.at < other.at ? -1 : 1))
  const lastGivenUp = new Map(givenUp.map(({ integration, ...one }) => [integration, one]))
  const ids = config.integrations.map(({ id }) => id)
  const lastRuns = await findNewestRuns(database.kysely, ids)
  return config.integrations.map(({ id, schedule }) => {
    const last = lastRuns.get(id)
    const lastRun =
      last === undefined
        ? null
        : { run: last.run_id, status: last.status, startedAt: last.started_at.toISOString() }
    const times = schedule === undefined ? NO_SCHEDULE : timesOf(id, schedule, environment.now())
    return { integration: id, ...times, lastRun, givenUp: lastGivenUp.get(id) ?? null }
  })
}

const NO_SCHEDULE = { cron: null, timeZone: null, offsetSeconds: null, next: null, nextLocal: null }

/** Returns the time of the next run, in UTC and in the local time of the schedule. */
function timesOf(integrationId: string, schedule: Schedule, nowMs: number) {
  const { cron, timeZone } = schedule
  const offset = offsetSeconds(integrationId, schedule)
  const dueMs = nextDue(schedule, offset, nowMs)
  const next = new Date(dueMs).toISOString()
  return { cron, timeZone, offsetSeconds: offset, next, nextLocal: onTheClock(dueMs, timeZone) }
}
