import { Argument, InvalidArgumentError, Option } from 'commander'
import { findCertificates, findRun, findRuns, type RunRecord } from '../../loaders/ledger/ledger.ts'
import { findNewestPlan } from '../../loaders/ledger/stored-plan.ts'
import type { Db, RunStatus } from '../../sql/tables.ts'
import { describePin } from '../../transforms/texts/pinned.ts'
import type { Context } from '../context/run-context.ts'
import { endOfRun, readStateFacts, secondsSince } from '../inspect/state.ts'
import { reportOf } from '../run/recorded-run.ts'
import { EXIT, plannedRun } from '../runtime/report.ts'
import { isRunId } from '../runtime/run-id.ts'
import type { PastRow, RunRow, StateRow } from '../schemas/runs.ts'
import { UserError } from '../settings/errors.ts'
import { integrationOf, RUN, requireRun, requireRunId, wholeNumber } from './arguments.ts'
import { type Paint, paintFor, stateCell } from './colours.ts'
import { type Call, defineCommand } from './define-command.ts'
import { toTable } from './io.ts'
import {
  describeNotLanded,
  findNotLanded,
  PLAN_OPTIONS,
  type PlanOutputOptions,
  planView,
  printPlan,
  printWithPlan,
} from './plan-output.ts'
import { describeReport, READINGS_HEADINGS, rowsOfReadings } from './print-report.ts'
import { ageOf, shortTime } from './status.ts'

const HELP_OF_RUNS = `
Any of --failed, --held, --stale and --since lists the runs of all integrations, or of the one that is named, the newest first.
Lines have at most 120 characters: a long reason is cut. --json has all of it, exit codes, and times to the millisecond.

Examples:
  event-sync runs                     each integration: its last run, and the age of its last success
  event-sync runs summit --limit 5    its last five runs, with the first characters of the hashes of their plans, as apply takes them
  event-sync runs --failed --since 7d    what went wrong this week, wherever
  event-sync runs --json              for machines, as for an alarm on secondsSinceSuccess`

export const addRunsCommand = defineCommand({
  name: 'runs',
  summary: "each integration's last state and the age of its last success; with an id, its last runs",
  help: HELP_OF_RUNS,
  args: [new Argument('[id]', 'integration')],
  options: [
    new Option('--failed', 'runs that failed'),
    new Option('--held', 'runs whose plan a guard held'),
    new Option('--stale', 'plans that can no longer be applied, since there is a newer one'),
    new Option('--since <age>', 'runs that began within this time, such as 7d or 12h').argParser(ageMs),
    new Option('--limit <n>', 'most runs').argParser(wholeNumber(1)).default(20),
  ],
  onMoved: 'noted',
  run: ({ options, open, io, global }: Call<RunsOptions>, id: string | undefined) =>
    open(async (context) => {
      const { failed, held, stale, since } = options
      const isFiltered = failed === true || held === true || stale === true || since !== undefined
      const paint = paintFor(io.stdout, global)
      if (id === undefined && !isFiltered) {
        const runs = await lastStates(context)
        return { json: { runs }, text: describeStates(runs, context.environment.now(), paint) }
      }
      const runs = await lastRuns(context, id, options)
      const none = isFiltered ? 'no such runs\n' : 'no runs yet\n'
      return { json: { runs }, text: runs.length === 0 ? none : describeRuns(runs, id, paint) }
    }),
})

/**
 * Columns of the table that may be cut if a line is too long. The column of the run id is never cut, because
 * users copy the id.
 */
const CUT = ['reason', 'integration']

function describeStates(states: readonly StateRow[], nowMs: number, paint: Paint): string {
  const headings = ['integration', 'run', 'status', 'changes', 'started', 'last success', 'reason']
  const rows = states.map((state) => [
    state.integration,
    state.run,
    stateCell(paint, state.status),
    state.changes,
    state.startedAt === null ? null : ageOf(secondsSince(new Date(state.startedAt), nowMs)),
    ageOf(state.secondsSinceSuccess),
    whyOf(state),
  ])
  return toTable(headings, rows, CUT)
}

/**
 * Formats runs as a table.
 *
 * @param id the integration to which all runs belong; undefined: a column shows the integration of each run
 */
function describeRuns(runs: readonly PastRow[], id: string | undefined, paint: Paint): string {
  const named = id === undefined
  const headings = ['run', 'status', 'changes', 'started', 'plan hash', 'reason']
  const rows = runs.map((one) => [
    ...(named ? [one.integration] : []),
    one.run,
    stateCell(paint, one.status),
    one.changes,
    shortTime(one.startedAt),
    one.planHash === null ? null : one.planHash.slice(0, SHOWN_OF_HASH),
    whyOf(one),
  ])
  return toTable(named ? ['integration', ...headings] : headings, rows, CUT)
}

/**
 * Returns the reason for the state of an integration. The pin comes first, because it determines what the
 * next run does.
 */
function whyOf({ integration, pinned, reason }: RunRow): string | null {
  return [pinned === null ? [] : describePin(integration, pinned), reason ?? []].flat().join('; ') || null
}

/** Length of a hash that `apply` accepts. */
const SHOWN_OF_HASH = 8

interface RunsOptions {
  readonly failed?: boolean
  readonly held?: boolean
  readonly stale?: boolean
  /** Age in milliseconds. */
  readonly since?: number
  readonly limit: number
}

function ageMs(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([dhm])$/.exec(text) ?? []
  const minutes = { d: 1440, h: 60, m: 1 }[unit ?? ''] ?? 0
  if (count === undefined)
    throw new InvalidArgumentError('It must be a number of days, hours or minutes, such as 7d.')
  return Number(count) * minutes * 60_000
}

const HELP_OF_SHOW = `
It reads what is stored of the run: its plan, its times, who started and approved it, and its certificates.

Examples:
  event-sync show summit                             its last run
  event-sync show 00000001                           the run whose id ends so
  event-sync show 01985c7e-0000-7000-8000-000000000001 --content attendees --sample 50
  event-sync show 01985c7e-0000-7000-8000-000000000001 --sample 0 --json    all but the changes, for machines`

export const addShowCommand = defineCommand({
  name: 'show',
  summary: 'one run in full',
  help: HELP_OF_SHOW,
  args: [new Argument('<run>', `${RUN.description}; or an integration, for its last run`)],
  options: PLAN_OPTIONS,
  onMoved: 'noted',
  async run({ options, io, global, open }: Call<PlanOutputOptions>, text: string) {
    return open(async (context) => {
      const db = context.database.kysely
      const record = await requireRunOrLast(context, text)
      const runId = record.run_id
      const report = reportOf(context, record)
      const times = timesOf(record)
      const { error } = record
      const resources = await findCertificates(db, { integrationId: record.integration_id, runId })
      const view = planView(options, global, io)
      const notLanded = await findNotLanded(db, report, options.sample, global.showPersonal)
      if (global.json) {
        const json = { ...report, ...times, error, resources, notLanded }
        await printWithPlan(io, db, plannedRun(report), json, view)
        io.stdout.write('\n')
        return EXIT.ok
      }
      await printPlan(io, db, report, view)
      const newest = await findNewestPlan(db, record.integration_id)
      const headings = RESOURCE_COLUMNS.map(([heading]) => heading)
      const rows = resources.map((row) => RESOURCE_COLUMNS.map(([, key]) => row[key] ?? null))
      io.stdout.write(
        [
          describeReport(report, newest?.canApply(record), view.paint),
          '\n',
          describeNotLanded(notLanded, report),
          `${toTable(['what', 'value'], Object.entries(times))}\n`,
          error === null ? '' : `${error}\n\n`,
          toTable(headings, rows),
          report.readings === undefined
            ? ''
            : `\n${toTable(READINGS_HEADINGS, rowsOfReadings(report.readings))}`,
        ].join(''),
      )
      return EXIT.ok
    })
  },
})

/**
 * Returns the run with an id or a part of an id. If the text is the id of an integration, returns its last
 * run.
 */
async function requireRunOrLast(context: Context, text: string): Promise<RunRecord> {
  const isConfigured = context.config.integrations.some(({ id }) => id === text)
  const last = await findRun(context.database.kysely, { integrationId: text })
  if (last !== undefined && (isConfigured || !isRunId(text))) return last
  if (isConfigured)
    throw new UserError(
      'state',
      `${text} has not run yet`,
      `\`event-sync check ${text}\` says whether it is set up`,
    )
  requireRunId(text)
  return requireRun(context.database.kysely, text)
}

function timesOf(record: RunRecord) {
  return {
    command: record.command,
    ...(record.rollback_to === null ? {} : { rollbackTo: record.rollback_to }),
    startedBy: record.started_by,
    startedAt: toIso(record.started_at),
    plannedAt: toIso(record.planned_at),
    approvedBy: record.approved_by,
    approvedAt: toIso(record.approved_at),
    appliedAt: toIso(record.applied_at),
    finishedAt: toIso(record.finished_at),
    productVersion: record.product_version,
    configHash: record.config_hash,
  }
}

const toIso = (time: Date | null | undefined): string | null => time?.toISOString() ?? null

const RESOURCE_COLUMNS = [
  ['resource', 'resource'],
  ['certified', 'certified'],
  ['confirmed', 'confirmed'],
  ['requests', 'requests'],
  ['attempts', 'attempts'],
  ['bytes', 'bytes'],
  ['elements', 'elements'],
  ['distinct ids', 'distinctIds'],
  ['declared', 'declared'],
  ['forgotten', 'forgotten'],
  ['end', 'end'],
  ['detail', 'detail'],
] as const

/** Returns the last run and the last success of each integration, with as many queries for a thousand as for one. */
export async function lastStates(context: Context): Promise<readonly StateRow[]> {
  const ids = context.config.integrations.map(({ id }) => id)
  const { newest, successes, locked, pins } = await readStateFacts(context, ids)
  return ids.map((id) => {
    const last = newest.get(id)
    const succeeded = successes.get(id)?.finished_at ?? null
    return {
      integration: id,
      run: last?.run_id ?? null,
      ...(last === undefined ? NEVER_RUN : endOfRun(context, last, locked)),
      pinned: pins.get(id) ?? null,
      startedAt: toIso(last?.started_at),
      lastSuccessAt: toIso(succeeded),
      secondsSinceSuccess: succeeded && secondsSince(succeeded, context.environment.now()),
    }
  })
}

async function lastRuns(
  context: Context,
  integrationId: string | undefined,
  { failed = false, held = false, stale = false, since, limit }: RunsOptions,
): Promise<readonly PastRow[]> {
  const db = context.database.kysely
  const statuses: readonly RunStatus[] = stale
    ? held
      ? ['held']
      : ['planned', 'held']
    : [...(failed ? ['failed' as const] : []), ...(held ? ['held' as const] : [])]
  const filter = {
    integrationId,
    ...(statuses.length === 0 ? {} : { statuses }),
    ...(since === undefined ? {} : { since: new Date(context.environment.now() - since) }),
  }
  // The query cannot select stale plans, so the code selects them afterwards, and only then applies `limit`.
  const runs = stale
    ? (await staleOf(db, await findRuns(db, filter, MOST_PLANS))).slice(0, limit)
    : await findRuns(db, filter, limit)
  // Runs stay in the database after their integration was removed from the configuration. An id that has no
  // runs and is not configured is a typing error.
  if (runs.length === 0 && integrationId !== undefined) integrationOf(context.config, integrationId)
  const locked = await context.database.findLocked(runs.map((run) => run.integration_id))
  return runs.map((run) => ({
    integration: run.integration_id,
    run: run.run_id,
    command: run.command,
    ...(run.rollback_to === null ? {} : { rollbackTo: run.rollback_to }),
    ...endOfRun(context, run, locked),
    startedAt: run.started_at.toISOString(),
    finishedAt: toIso(run.finished_at),
    planHash: run.plan_hash,
  }))
}

/** Maximum number of newest plans in which `runs --stale` looks for plans that can no longer be applied. */
const MOST_PLANS = 10_000

/** Selects the runs whose plans can no longer be applied. */
async function staleOf(db: Db, runs: readonly RunRecord[]): Promise<readonly RunRecord[]> {
  const stale: RunRecord[] = []
  for (const [id, own] of Map.groupBy(runs, ({ integration_id }) => integration_id)) {
    const newest = await findNewestPlan(db, id)
    stale.push(...own.filter((run) => newest?.canApply(run) !== true))
  }
  return stale.sort((one, other) => (one.run_id < other.run_id ? 1 : -1))
}

const NEVER_RUN = { status: 'never run' as const, exitCode: null, changes: null, reason: null, pinned: null }
