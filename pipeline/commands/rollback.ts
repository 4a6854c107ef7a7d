import { reportOfError } from '../observe/emit.ts'
import { rollBack } from '../run/rollback.ts'
import { plannedRun } from '../runtime/report.ts'
import { ID, integrationOf, RUN, requireRun, requireRunId } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import { PLAN_OPTIONS, type PlanOutputOptions, planPrinter, planView } from './plan-output.ts'
import { endOfReports } from './print-report.ts'
import { announceInterruption } from './run.ts'

const HELP = `
Makes a plan that brings the platform's items back to what they were after an earlier run, from the history in the database. The source is
not read, and nothing is sent until \`event-sync apply\`. Exit code 2 where there are changes. Items that came later are removed, also with
removals.action: keep. Attendees who are created again get no password. People who were forgotten or left out stay out.
To say why in the log, give the reason to apply, which approves the plan: \`event-sync apply summit HASH --reason "wrong agenda"\`.

Examples:
  event-sync rollback summit 00000001          to what the platform had after that run; \`event-sync runs summit\` lists the runs
  event-sync rollback summit 00000001 --json   for machines, with the changes under "plan"`

export const addRollbackCommand = defineCommand({
  name: 'rollback',
  summary: "plan to bring the platform's items back to what they were after an earlier run",
  help: HELP,
  exits: ['failed', 'changes', 'held', 'locked', 'usage'],
  args: [ID, RUN],
  options: PLAN_OPTIONS,
  run: ({ options, io, global, open }: Call<PlanOutputOptions>, id: string, text: string) =>
    open(async (opened) => {
      const context = announceInterruption(io, opened, '')
      const integration = integrationOf(context.config, id)
      requireRunId(text)
      const db = context.database.kysely
      const { run_id: runId } = await requireRun(db, text)
      const printer = planPrinter(io, planView(options, global, io), global)
      const reports = await rollBack(context, integration, runId).catch((error: unknown) => [
        reportOfError(id, error),
      ])
      for (const report of reports) await printer.print(db, report, plannedRun(report))
      printer.end()
      return endOfReports(context, reports)
    }),
})
