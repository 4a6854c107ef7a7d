import { type Command, InvalidArgumentError } from 'commander'
import { findCertificates, findRuns, type RunRecord } from '../../loaders/ledger.ts'
import { ConfigError } from '../config.ts'
import { reportOf } from '../recorded-run.ts'
import { type Context, timestamp } from '../run-context.ts'
import { isRunId } from '../run-id.ts'
import { addPlanOptions, type PlanOptions, planView } from './plan-view.ts'
import { describeReport } from './print-report.ts'
import { integrationOf } from './run.ts'
import { type GlobalOptions, withContext } from './session.ts'
import { printPlan, printWithPlan } from './show-plan.ts'
import { toTable } from './table.ts'

/** `event-sync runs [ID]`. */
export function addRunsCommand(program: Command): void {
  program
    .command('runs')
    .description("each integration's last state and the age of its last success; with an id, its last runs")
    .argument('[id]', 'integration')
    .option('--limit <n>', 'most runs of one integration', toCount, 20)
    .addHelpText(
      'after',
      `
Examples:
  event-sync runs                     each integration: its last run, and seconds since its last success
  event-sync runs summit --limit 5    its last five runs, with the hashes of their plans
  event-sync runs --json              for machines, as for an alarm on secondsSinceSuccess`,
    )
    .action(async (id: string | undefined, { limit }: { readonly limit: number }) => {
      const global = program.opts<GlobalOptions>()
      await withContext(global, async (context) => {
        const rows = id === undefined ? await lastStates(context) : await lastRuns(context, id, limit)
        if (global.json) process.stdout.write(`${JSON.stringify({ runs: rows })}\n`)
        else if (rows.length === 0) process.stdout.write('no runs yet\n')
        else
          process.stdout.write(
            toTable(
              Object.keys(rows[0] ?? {}),
              rows.map((row) => Object.values(row)),
            ),
          )
      })
    })
}

function toCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1.')
}

/** `event-sync show RUN`. */
export function addShowCommand(program: Command): void {
  const command = program
    .command('show')
    .description('one run in full')
    .argument('<run>', 'id of the run')
    .addHelpText(
      'after',
      `
It reads what is stored of the run: its plan, its times, who started and approved it, and its certificates.

Examples:
  event-sync show 01985c7e-0000-7000-8000-000000000001
  event-sync show 01985c7e-0000-7000-8000-000000000001 --content attendees --sample 50
  event-sync show 01985c7e-0000-7000-8000-000000000001 --sample 0 --json    all but the changes, for machines`,
    )
    .action(async (runId: string, options: PlanOptions) => {
      const global = program.opts<GlobalOptions>()
      if (!isRunId(runId))
        throw new ConfigError(`"${runId}" is not the id of a run; \`event-sync runs\` lists them`)
      await withContext(global, async (context) => {
        const [record] = await findRuns(context.database.kysely, { runId })
        if (record === undefined)
          throw new ConfigError(`there is no run ${runId}; \`event-sync runs\` lists them`)
        const report = await reportOf(context, record)
        const full = {
          ...report,
          ...timesOf(record),
          error: record.error,
          resources: await findCertificates(context.database.kysely, {
            integrationId: record.integration_id,
            runId,
          }),
        }
        const view = planView(options, global)
        if (global.json) {
          await printWithPlan(context.database.kysely, report, full, view)
          return void process.stdout.write('\n')
        }
        await printPlan(context.database.kysely, report, view)
        process.stdout.write(describeReport(report))
        const times = Object.entries(timesOf(record)).map(([name, value]) => [name, value])
        process.stdout.write(`\n${toTable(['what', 'value'], times)}\n`)
        if (record.error !== null) process.stdout.write(`${record.error}\n\n`)
        process.stdout.write(
          toTable(
            RESOURCE_COLUMNS,
            full.resources.map((row) => Object.values(row)),
          ),
        )
      })
    })
  addPlanOptions(command)
}

function timesOf(record: RunRecord) {
  return {
    command: record.command,
    startedBy: record.started_by,
    startedAt: record.started_at.toISOString(),
    plannedAt: record.planned_at?.toISOString() ?? null,
    approvedBy: record.approved_by,
    approvedAt: record.approved_at?.toISOString() ?? null,
    appliedAt: record.applied_at?.toISOString() ?? null,
    finishedAt: record.finished_at?.toISOString() ?? null,
    productVersion: record.product_version,
    configHash: record.config_hash,
  }
}

const RESOURCE_COLUMNS = [
  'resource',
  'certified',
  'requests',
  'attempts',
  'bytes',
  'elements',
  'distinct ids',
  'declared',
  'end',
  'detail',
]

async function lastStates(context: Context) {
  const ids = context.config.integrations.map(({ id }) => id)
  return Promise.all(
    ids.map(async (integration) => {
      const [last] = await findRuns(context.database.kysely, { integrationId: integration }, 1)
      const [success] = await findRuns(
        context.database.kysely,
        { integrationId: integration, statuses: ['finished'] },
        1,
      )
      return {
        integration,
        run: last?.run_id ?? null,
        status: last?.status ?? 'never run',
        startedAt: last?.started_at.toISOString() ?? null,
        lastSuccessAt: success?.finished_at?.toISOString() ?? null,
        secondsSinceSuccess:
          success?.finished_at == null
            ? null
            : Math.round((Date.parse(timestamp(context.environment)) - success.finished_at.getTime()) / 1000),
      }
    }),
  )
}

async function lastRuns({ config, database }: Context, integrationId: string, limit: number) {
  const runs = await findRuns(database.kysely, { integrationId }, limit)
  // Runs outlive their place in the configuration; a name that neither knows is a slip.
  if (runs.length === 0) integrationOf(config, integrationId)
  return runs.map((run) => ({
    integration: run.integration_id,
    run: run.run_id,
    command: run.command,
    status: run.status,
    startedAt: run.started_at.toISOString(),
    finishedAt: run.finished_at?.toISOString() ?? null,
    planHash: run.plan_hash,
  }))
}
