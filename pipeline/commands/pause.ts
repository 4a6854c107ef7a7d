import { InvalidArgumentError, Option } from 'commander'
import { findPin, lockPin, mayApplyWhilePinned } from '../../loaders/ledger/actions.ts'
import { findRun } from '../../loaders/ledger/ledger.ts'
import type { Db, Pin } from '../../sql/tables.ts'
import { describePinned } from '../../transforms/texts/pinned.ts'
import { requireCurrentId } from '../context/current-id.ts'
import { recordAction } from '../context/record-action.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { isLocked } from '../database/integration-lock.ts'
import { withoutSending } from '../observe/emit.ts'
import { UserError } from '../settings/errors.ts'
import { ID, integrationOf, reasonOption } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'

const HELP_OF_PAUSE = `
From then on the integration is pinned: run and worker read the source, store the plan and report it, with exit code 0, and send nothing.
apply is refused, except for the plan of a rollback. It takes effect at once, also before the first run. A plan that is being sent at
that moment is sent to its end.
On PostgreSQL it does not wait for a run; the embedded database takes one command at a time.
A pause of a pinned integration replaces its end and its reason.

Examples:
  event-sync pause summit                                              until resume
  event-sync pause summit --until 2031-05-04 --reason "rooms move"     until that day begins, UTC
  event-sync pause summit --until 2031-05-04T18:00:00+02:00            until that moment`

interface PauseOptions {
  /** ISO-8601 in UTC. */
  readonly until?: string
  readonly reason?: string
}

export const addPauseCommand = defineCommand({
  name: 'pause',
  summary: 'send nothing to the platform until resume, or until a date; runs go on reading and planning',
  help: HELP_OF_PAUSE,
  args: [ID],
  options: [
    new Option(
      '--until <date>',
      'end of the pause: a day such as 2031-05-04, at 00:00 UTC, or a time with its zone; left out: until resume',
    ).argParser(toInstant),
    reasonOption('why, for every place that says that it is pinned, and for the log'),
  ],
  run: ({ options, open }: Call<PauseOptions>, id: string) =>
    open(async (context) => {
      const integration = integrationOf(context.config, id)
      const { database, environment } = context
      const { until = null, reason = null } = options
      const now = timestamp(environment)
      if (until !== null && until <= now)
        throw new UserError(
          'usage',
          `--until: ${until} is in the past`,
          'give a later time; nothing was changed',
        )
      const pin = await withoutSending(
        database.transaction(async (transaction) => {
          await requireCurrentId(transaction, context, integration)
          await lockPin(transaction, id)
          await recordAction(transaction, context, id, 'paused', { until, reason })
          return findPin(transaction, id, now)
        }),
      )
      const underWay = await describeUnderWay(context, id)
      await showState(context, id)
      return {
        text: `${describePause(id, pin, underWay)}\n`,
        json: { integration: id, pinned: pin, underWay },
      }
    }),
})

/** @throws UserError if a rollback is only partly sent: after resume, its end would be followed by a new plan */
async function requireNoOpenRollback(transaction: Db, integrationId: string): Promise<void> {
  const run = await findRun(transaction, { integrationId, statuses: ['applying'] })
  if (run?.command !== 'rollback') return
  throw new UserError(
    'state',
    `the rollback of run ${run.run_id} is not finished`,
    `finish it first with \`event-sync run ${integrationId}\`, which sends only the rest of the rollback; nothing was changed`,
  )
}

/** Writes the status page, so that it does not show the former state until the next run. */
async function showState(context: Context, id: string): Promise<void> {
  const { writeStatusPage } = await import('../inspect/web-page.ts')
  await writeStatusPage(context, id)
}

function describePause(id: string, pin: Pin | null, underWay: string | null): string {
  if (pin === null) return `${id} was paused, and somebody else has resumed it since`
  const pinned = `${id} is ${describePinned(pin)}`
  const effect = `runs read, plan and report, and send nothing; \`event-sync resume ${id}\` ends it`
  return [pinned, `  ${effect}`, ...(underWay === null ? [] : [`  ${underWay}`])].join('\n')
}

/** Says what happens to a run that began before the pause; returns null if there is no such run. */
async function describeUnderWay({ database }: Context, integrationId: string): Promise<string | null> {
  const db = database.kysely
  const run = await findRun(db, { integrationId, statuses: ['running', 'applying'] })
  if (run === undefined) return null
  if (await isLocked(db, integrationId))
    return run.status === 'applying'
      ? `run ${run.run_id} is sending its plan, and sends it to its end`
      : `run ${run.run_id} is under way: it sends nothing, unless its plan is stored already`
  if (run.status !== 'applying') return null
  return mayApplyWhilePinned(run)
    ? `the rollback of run ${run.run_id} is not finished: the next run sends the rest of it, also during the pause`
    : `run ${run.run_id} was interrupted while its plan was being sent: the rest is sent after the pause`
}

const ZONED_TIME = /^T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/

/** Converts the end of a pause to an instant. @returns ISO-8601 in UTC */
function toInstant(text: string): string {
  const [day, time] = [text.slice(0, 10), text.slice(10) || 'T00:00Z']
  const midnightMs = Date.parse(`${day}T00:00Z`)
  const instantMs = Date.parse(`${day}${time}`)
  // The JavaScript engine reads a day that does not exist, such as February 30, as a day of the next month.
  const isDay = !Number.isNaN(midnightMs) && new Date(midnightMs).toISOString().startsWith(day)
  if (isDay && ZONED_TIME.test(time) && !Number.isNaN(instantMs)) return new Date(instantMs).toISOString()
  throw new InvalidArgumentError(
    'It must be a day such as 2031-05-04, or a time with its zone such as 2031-05-04T18:00:00Z.',
  )
}

const HELP_OF_RESUME = `
The next run sends what it plans. A plan that was made during the pause can be applied as long as it is the newest.

Examples:
  event-sync resume summit
  event-sync resume summit --reason "rooms are right"    for the log`

export const addResumeCommand = defineCommand({
  name: 'resume',
  summary: 'end a pause, or what follows a rollback: runs send again',
  help: HELP_OF_RESUME,
  args: [ID],
  options: [reasonOption('why, for the log')],
  run: ({ options, open }: Call<{ readonly reason?: string }>, id: string) =>
    open(async (context) => {
      const integration = integrationOf(context.config, id)
      const { database, environment } = context
      const { reason = null } = options
      const pinned = await withoutSending(
        database.transaction(async (transaction) => {
          await requireCurrentId(transaction, context, integration)
          await requireNoOpenRollback(transaction, id)
          const pin = await findPin(transaction, id, timestamp(environment))
          if (pin !== null) await recordAction(transaction, context, id, 'resumed', { reason })
          return pin
        }),
      )
      await showState(context, id)
      const text =
        pinned === null
          ? `${id} is not pinned: runs send what they plan\n`
          : `${id} was ${describePinned(pinned)}\n  from now on runs send again: \`event-sync run ${id}\`\n`
      return { text, json: { integration: id, changed: pinned !== null, pinned } }
    }),
})
