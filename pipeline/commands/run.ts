import type { Command } from 'commander'
import { ConfigError, type IntegrationConfig } from '../config.ts'
import { targetTypeOf } from '../platform/connect.ts'
import type { RunOptions } from '../recorded-run.ts'
import { exitCodeOf, type RunReport, worst } from '../report.ts'
import { runReported } from '../run.ts'
import type { Context } from '../run-context.ts'
import { isRunId } from '../run-id.ts'
import { addPlanOptions, type PlanOptions, planView } from './plan-view.ts'
import { printReports } from './print-report.ts'
import { type GlobalOptions, withContext } from './session.ts'
import { printPlans } from './show-plan.ts'

interface Options {
  readonly runId?: string
  readonly fresh?: boolean
  readonly rebind?: boolean
  readonly refresh?: boolean
}

const HELP_OF_RUN = `
What a run that died has begun is finished first. One integration's fault is not the next one's.

Examples:
  event-sync run                        every integration of event-sync.yaml, one after the other
  event-sync run summit expo            these two
  event-sync run summit --refresh       from what the platform says it has, not from what is known of it
  event-sync run summit --fresh         into a new database, beside packs of an old one
  event-sync --log-level info run       JSON lines on standard error
  event-sync run --json > runs.json     for machines: {"runs":[…]}`

const HELP_OF_PLAN = `
Exit code 2 where there are changes; \`event-sync apply\`, given the hash that is printed, sends them.

Examples:
  event-sync plan                                       of every integration
  event-sync plan summit --sample 0                     the summary alone
  event-sync plan summit --content agenda --sample 100  more of the sessions, nothing of the people
  event-sync plan summit --show-personal                with the values of people
  event-sync plan summit --json                         for machines, with the changes under "plan"`

/** `event-sync run` and `event-sync plan`. */
export function addRunCommands(program: Command, exit: (code: number) => void): void {
  const add = <Given extends Options>(
    command: RunOptions['command'],
    description: string,
    help: string,
    print: Print<Given>,
  ) =>
    program
      .command(command)
      .description(description)
      .argument('[id...]', 'integrations; left out: all of the configuration')
      .option(
        '--run-id <uuid>',
        'UUIDv7 of the run, to write the same bytes as another run; one integration only',
      )
      .option('--fresh', 'accept packs in the output folder that this database does not know')
      .addHelpText('after', help)
      .action(async (ids: string[], options: Given) => {
        const global = program.opts<GlobalOptions>()
        const code = await withContext(global, async (context) => {
          const reports = await runAll(context, selected(context, ids, options), command, options)
          await print(context, reports, global, options)
          return worst(reports.map((report) => exitCodeOf(report, maxQuarantined(context, report))))
        })
        exit(code)
      })
  add('run', 'read, stage, transform, plan, apply and audit', HELP_OF_RUN, async (_, reports, { json }) =>
    printReports(reports, json),
  )
    .option('--refresh', 'read back from the platform what it has, and plan from that')
    .option('--rebind', 'accept another source or platform than that of the earlier runs')
  addPlanOptions(
    add<Options & PlanOptions>(
      'plan',
      'everything up to the plan; nothing reaches the platform',
      HELP_OF_PLAN,
      ({ database }, reports, global, options) =>
        printPlans(database.kysely, reports, planView(options, global), global.json),
    ),
  )
}

type Print<Given> = (
  context: Context,
  reports: readonly RunReport[],
  global: GlobalOptions,
  options: Given,
) => Promise<void>

async function runAll(
  context: Context,
  integrations: readonly IntegrationConfig[],
  command: RunOptions['command'],
  options: Options,
): Promise<readonly RunReport[]> {
  const reports: RunReport[] = []
  for (const integration of integrations) {
    const { runId, rebind = false, fresh = false, refresh = false } = options
    // One integration's fault is not the next one's.
    reports.push(...(await runReported(context, integration, { command, runId, rebind, fresh, refresh })))
  }
  return reports
}

function selected(
  { config }: Context,
  ids: readonly string[],
  options: Options,
): readonly IntegrationConfig[] {
  const integrations = ids.length === 0 ? config.integrations : ids.map((id) => integrationOf(config, id))
  const mute = integrations.find(({ platform }) => targetTypeOf(platform).read === null)
  if (options.refresh && mute !== undefined) {
    throw new ConfigError(
      `--refresh: the platform of ${mute.id} is of type ${mute.platform.type}, from which nothing can be read back`,
    )
  }
  if (options.runId === undefined) return integrations
  if (!isRunId(options.runId)) throw new ConfigError(`--run-id ${options.runId} is not a UUID of version 7`)
  if (integrations.length !== 1) throw new ConfigError('--run-id goes with exactly one integration')
  return integrations
}

/** The integration of that id. @throws ConfigError naming those there are */
export function integrationOf(config: Context['config'], id: string): IntegrationConfig {
  const integration = config.integrations.find((one) => one.id === id)
  if (integration !== undefined) return integration
  const known = config.integrations.map((one) => one.id).join(', ')
  throw new ConfigError(`there is no integration "${id}" in the configuration; there are: ${known}`)
}

/** Quarantined records that a run of this integration may have without notice. */
export function maxQuarantined({ config }: Context, report: RunReport): number {
  return config.integrations.find(({ id }) => id === report.integration)?.guards.maxQuarantined ?? 0
}
