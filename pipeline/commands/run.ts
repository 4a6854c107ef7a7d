import { Argument, Option } from 'commander'
import { findRun } from '../../loaders/ledger/ledger.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { needsPreview, previewReported } from '../run/preview.ts'
import { consequenceIn, type RecordedRunOptions, reportOf } from '../run/recorded-run.ts'
import { approve, requireUnpinned, runReported } from '../run/run.ts'
import type { Listener } from '../runtime/events.ts'
import { EXIT, plannedRun, type RunReport } from '../runtime/report.ts'
import { isRunId } from '../runtime/run-id.ts'
import { UserError } from '../settings/errors.ts'
import { ID, IDS, integrationOf, integrationsOf, reasonOption, wholeNumber } from './arguments.ts'
import { paintFor } from './colours.ts'
import { type Call, defineCommand } from './define-command.ts'
import { canAsk, confirm } from './dialogue.ts'
import type { CommandIo } from './io.ts'
import { PLAN_OPTIONS, type PlanOutputOptions, planPrinter, planView, printPlan } from './plan-output.ts'
import { describeReport, endOfReports, printReports } from './print-report.ts'

type Options = Omit<RecordedRunOptions, 'command'>
type RunOptions = Options & { readonly parallel: number }

const HELP_OF_RUN = `
An integration that is pinned (\`event-sync pause\`) is read and planned, and nothing is sent.
Unfinished work of a crashed run is completed first. A failure in one integration does not stop the others.

Examples:
  event-sync run                        every integration of event-sync.yaml, one after the other
  event-sync run summit expo            these two
  event-sync run summit --refresh       from what the platform says it has; after the database was restored
  event-sync run expo --full            all of the source, where otherwise only changes are read
  event-sync run summit --fresh         into a new database, beside packs of an old one
  event-sync --log-level info run       JSON lines on standard error
  event-sync run --parallel 4           four at a time; on PostgreSQL
  event-sync --quiet run                for cron: one line on standard error if somebody is needed, otherwise nothing
  event-sync run --json > runs.json     for machines: {"runs":[…]}`

const HELP_OF_PLAN = `
Exit code 2 where there are changes; \`event-sync apply\`, given the hash that is printed, sends them.

With --refresh or --rebind it is a preview: it shows what \`event-sync run\` with the same options would do, and stores nothing. It
cannot be applied.

Examples:
  event-sync plan                                       of every integration
  event-sync plan summit --sample 0                     the summary alone
  event-sync plan summit --content agenda --sample 100  more of the sessions, nothing of the people
  event-sync plan summit --show-personal                with the values of people
  event-sync plan summit --refresh                      a preview of \`event-sync run summit --refresh\`
  event-sync plan summit --json                         for machines, with the changes under "plan"`

const READING_OPTIONS = [
  new Option(
    '--run-id <uuid>',
    'UUIDv7 of the run, to write the same bytes as another run; one integration only',
  ),
  new Option('--fresh', 'into a new database: create everything again, beside packs of an old one'),
  new Option('--fresh-read', 'read all of the source again, also what a run that was stopped had read'),
  new Option('--full', 'read all of the source, also where it is read by changes (source.reading)'),
]

const REFRESH = new Option(
  '--refresh',
  'read back what the platform has, or was sent by packs that the database does not know, and plan from that',
)

const REBIND = new Option(
  '--rebind',
  'accept another source or platform than that of the earlier runs, one that another integration wrote to included',
)

export const addRunCommand = defineCommand({
  name: 'run',
  summary: 'read, stage, transform, plan, apply and audit',
  help: HELP_OF_RUN,
  exits: ['failed', 'incomplete', 'held', 'locked', 'usage'],
  args: [IDS],
  options: [
    ...READING_OPTIONS,
    REFRESH,
    new Option(
      '--unsigned',
      'with --refresh: take for sent also what packs say that audit.signingKey has not signed',
    ),
    REBIND,
    new Option(
      '--changes',
      'read by changes again, though a full reading found records that readings of changes missed',
    ),
    new Option('--parallel <n>', 'integrations to run at the same time; needs PostgreSQL')
      .argParser(wholeNumber(1, 16))
      .default(1),
  ],
  run: ({ options, io, global, open }: Call<RunOptions>, ids: readonly string[]) => {
    const { parallel, ...given } = options
    return open(
      async (opened) => {
        const context = announceInterruption(io, opened, reusedUntil(opened))
        const integrations = selected(context, ids, given)
        requireServer(context, parallel)
        const reportsOf = await inParallel(integrations, parallel, async (integration) => {
          const reports = await runReported(context, integration, { ...given, command: 'run' })
          if (!global.json) printReports(io, reports, global)
          return reports
        })
        const reports = reportsOf.flat()
        if (global.json) printReports(io, reports, global)
        return endOfReports(context, reports)
      },
      { runs: parallel },
    )
  },
})

export const addPlanCommand = defineCommand({
  name: 'plan',
  summary: 'everything up to the plan; nothing reaches the platform',
  help: HELP_OF_PLAN,
  exits: ['failed', 'changes', 'incomplete', 'held', 'locked', 'usage'],
  args: [IDS],
  options: [...READING_OPTIONS, REFRESH, REBIND, ...PLAN_OPTIONS],
  run: ({ options, io, global, open }: Call<Options & PlanOutputOptions>, ids: readonly string[]) =>
    open(async (opened) => {
      const isPreview = needsPreview(options)
      const context = announceInterruption(io, opened, isPreview ? '' : reusedUntil(opened))
      const printer = planPrinter(io, planView(options, global, io), global)
      const reports: RunReport[] = []
      for (const integration of selected(context, ids, options)) {
        if (isPreview) {
          reports.push(...(await previewReported(context, integration, options, printer.print)))
          continue
        }
        const made = await runReported(context, integration, { ...options, command: 'plan' })
        for (const report of made) await printer.print(context.database.kysely, report, plannedRun(report))
        reports.push(...made)
      }
      printer.end()
      return endOfReports(context, reports)
    }),
})

/** Says until when a later run can reuse the data that an interrupted run has read. */
function reusedUntil({ config }: Context): string {
  return `, and reuses what was read in the last ${config.http.resumeMinutes} minutes; \`event-sync run --fresh-read\` reads it again`
}

/**
 * Checks that the database allows several runs at the same time.
 *
 * @throws UserError if option --parallel is used with the embedded database
 */
function requireServer({ database }: Context, parallel: number): void {
  if (parallel === 1 || database.engine === 'postgres') return
  throw new UserError(
    'usage',
    '--parallel: the embedded database takes one run at a time',
    'leave it out, or use PostgreSQL',
  )
}

/**
 * Processes each item, several of them at the same time.
 *
 * @param work processes one item; it must not reject, because the work for other items would continue
 *   unobserved
 * @returns the results in the order of the items
 */
async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  // All loops share one iterator, so each loop takes the next item that no other loop has taken.
  const rest = items.entries()
  const loop = async () => {
    for (const [index, item] of rest) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: limit }, loop))
  return results
}

function selected({ config }: Context, ids: readonly string[], options: Options) {
  if (options.full === true && options.changes === true)
    throw new UserError('usage', '--full and --changes cannot be used together', 'give only one of them')
  const integrations = integrationsOf(config, ids)
  if (options.runId === undefined) return integrations
  if (!isRunId(options.runId))
    throw new UserError(
      'usage',
      `--run-id ${options.runId} is not a UUID of version 7`,
      'leave it out, or give one',
    )
  if (integrations.length !== 1)
    throw new UserError('usage', '--run-id needs exactly one integration', 'name it')
  return integrations
}

const HELP = `
If a newer plan was made, or changes were applied since, nothing is sent: exit code 4, and the message names the newest plan.
While the integration is pinned, only a rollback is applied: \`event-sync resume ID\` first.

Examples:
  event-sync apply summit 5c1f9ad0                         the hash that plan printed, or 8 characters of it and more
  event-sync apply summit                                  shows the plan that waits, and asks
  event-sync apply summit 5c1f9ad0… --approver "A. Lovelace"  ledger and pack name who approved it
  event-sync apply summit 5c1f9ad0 --reason "asked the organiser"    for the log`

interface ApplyOptions {
  readonly approver?: string
  readonly reason?: string
}

export const addApplyCommand = defineCommand({
  name: 'apply',
  summary: 'apply a stored plan, held or not, and no other',
  help: HELP,
  exits: ['failed', 'incomplete', 'held', 'locked', 'usage'],
  args: [
    ID,
    new Argument(
      '[plan-hash]',
      'hash that `plan` or a held `run` printed, or its first 8 characters or more; left out: shows the plan that waits, and asks',
    ),
  ],
  options: [
    new Option('--approver <name>', 'who approved the plan; left out: the user at the operating system'),
    reasonOption('why, for the log'),
  ],
  run: (call: Call<ApplyOptions>, id: string, start: string | undefined) =>
    call.open(async (opened) => {
      const { options, io, global } = call
      const integration = integrationOf(opened.config, id)
      if (start !== undefined && !/^[0-9a-f]{8,64}$/.test(start))
        throw new UserError(
          'usage',
          `"${start}" is not the hash of a plan`,
          'give its first 8 characters or more; nothing was sent',
        )
      const planHash = start ?? (await askForPlan(call, opened, id))
      if (planHash === null) return EXIT.held
      const context = announceInterruption(io, opened, '')
      const approver = options.approver ?? context.environment.user
      const reports = await approve(context, integration, planHash, approver, options.reason ?? null)
      printReports(io, reports, global)
      return endOfReports(context, reports)
    }),
})

/**
 * Shows the plan that waits for a decision, and asks whether to apply it.
 *
 * @returns the hash of the plan; null if the answer is no
 * @throws UserError if no plan waits, the integration is pinned, or nobody can be asked
 */
async function askForPlan(
  { io, global }: Call<object>,
  context: Context,
  id: string,
): Promise<string | null> {
  const db = context.database.kysely
  const newest = await findRun(db, { integrationId: id, hasPlan: true })
  if (newest?.plan_hash == null || !['planned', 'held'].includes(newest.status))
    throw new UserError('state', `no plan of ${id} waits`, `\`event-sync plan ${id}\` makes one`)
  await requireUnpinned(db, newest, timestamp(context.environment))
  const report = reportOf(context, newest)
  await printPlan(io, db, report, planView({ sample: 10 }, global, io))
  io.stdout.write(describeReport(report, true, paintFor(io.stdout, global)))
  if (!canAsk(io, global))
    throw new UserError(
      'usage',
      'there is nobody to ask',
      `give the hash: \`event-sync apply ${id} ${newest.plan_hash}\``,
    )
  return (await confirm(io, 'Apply this plan?')) ? newest.plan_hash : null
}

/**
 * Makes a signal end the process at once, with a message. For each running integration, the message says what
 * the interruption means for the platform and for the next run. Changes that were already applied are
 * recorded, and the next run applies the others.
 *
 * @param text the rest of the message
 * @returns the context that the command must use
 */
export function announceInterruption(
  { stderr, signals }: CommandIo,
  context: Context,
  text: string,
): Context {
  const runs = new Map<string, string>()
  /** The integrations that are running, each with what an interruption would mean for it. */
  const consequences = new Map<string, string>()
  const events: Listener = {
    ...context.events,
    emit(integration, event) {
      if (event.type === 'run opened') runs.set(integration, event.run)
      if (event.type === 'step begun')
        consequences.set(integration, consequenceIn(event.step, runs.get(integration) ?? ''))
      if (event.type === 'done') consequences.delete(integration)
      context.events.emit(integration, event)
    },
  }
  signals.onFirst((code) => {
    const lines = Array.from(consequences, ([id, consequence]) => `${id}: ${consequence}\n`)
    stderr.write(`${lines.join('')}stopped; nothing is lost: the next run continues${text}\n`)
    signals.endAtOnce(code)
  })
  return { ...context, events }
}
