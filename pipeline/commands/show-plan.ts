import type { Kysely } from 'kysely'
import { countPlanned, firstPlanned } from '../../loaders/audit/plan-changes.ts'
import type { Action, RunKey, Tables } from '../../sql/tables.ts'
import type { RunReport } from '../runtime/report.ts'
import { toVisibleJson } from '../text/visible.ts'
import type { CommandIo } from './io.ts'
import type { PlanView } from './plan-view.ts'
import { describeChange, describeRest, describeSummary, sumOf, toShownChange } from './print-plan.ts'
import { describeReport, printReports, toJson } from './print-report.ts'

/** Prints plans with their reports: one JSON object on standard output, or text for people. */
export async function printPlans(
  io: CommandIo,
  db: Kysely<Tables>,
  reports: readonly RunReport[],
  view: PlanView,
  json: boolean,
): Promise<void> {
  if (json) io.stdout.write('{"runs":[')
  for (const [place, report] of reports.entries()) {
    if (json) {
      io.stderr.write(describeReport(report))
      if (place > 0) io.stdout.write(',')
      await printWithPlan(io, db, report, toJson(report), view)
    } else {
      await printPlan(io, db, report, view)
      printReports(io, [report], false)
    }
  }
  if (json) io.stdout.write(']}\n')
}

/** Prints the stored plan of a run for people: its changes by content, then a summary; nothing where there is none. */
export async function printPlan(io: CommandIo, db: Kysely<Tables>, report: RunReport, view: PlanView) {
  const run = plannedRun(report)
  const counts = run === null ? [] : await countPlanned(db, run)
  if (run === null || counts.length === 0) return
  let hint = ''
  const print = (text: string) => io.stdout.write(text)
  print(`${run.integrationId}: plan of run ${run.runId}\n\n`)
  for (const content of view.sample === 0 ? [] : view.contents) {
    const planned = counts.filter((row) => row.content === content)
    if (planned.length === 0) continue
    print(`${content}\n`)
    const shown: Action[] = []
    for await (const page of firstPlanned(db, run, content, view.sample)) {
      const text = page.map((change) => describeChange(change, view.showPersonal, view.paint)).join('')
      print(text)
      hint += view.hint(text)
      shown.push(...page.map(({ action }) => action))
      // The reader, such as `head`, is gone.
      if (!io.stdout.writable) return
    }
    print(`${describeRest(run.runId, content, planned, shown)}\n`)
  }
  print(`${hint}${describeSummary(counts)}\n`)
}

/**
 * Prints an object as JSON with one more key, `plan`; null where no plan was made.
 *
 * The changes go out page by page, so that a large sample does not fill the memory.
 */
export async function printWithPlan(
  io: CommandIo,
  db: Kysely<Tables>,
  report: RunReport,
  object: object,
  view: PlanView,
): Promise<void> {
  const run = plannedRun(report)
  io.stdout.write(`${toVisibleJson(object).slice(0, -1)},"plan":`)
  if (run === null) return void io.stdout.write('null}')
  io.stdout.write('{"changes":[')
  let shown = 0
  for (const content of view.contents) {
    for await (const page of firstPlanned(db, run, content, view.sample)) {
      const text = page.map((change) => toVisibleJson(toShownChange(change, view.showPersonal))).join()
      io.stdout.write(shown > 0 ? `,${text}` : text)
      io.stderr.write(view.hint(text))
      shown += page.length
      if (!io.stdout.writable) return
    }
  }
  io.stdout.write(`],"shown":${shown},"total":${sumOf(await countPlanned(db, run))}}}`)
}

/** The run of a report, if it made a plan. */
function plannedRun({ integration, run, planHash }: RunReport): RunKey | null {
  return run === null || planHash === null ? null : { integrationId: integration, runId: run }
}
