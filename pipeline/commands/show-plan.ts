import type { Kysely } from 'kysely'
import { countPlanned, firstPlanned, type PlannedRun } from '../../loaders/plan-changes.ts'
import type { Action, Tables } from '../../sql/tables.ts'
import type { RunReport } from '../report.ts'
import type { PlanView } from './plan-view.ts'
import { describeChange, describeRest, describeSummary, sumOf, toShownChange } from './print-plan.ts'
import { describeReport, printReports, toJson } from './print-report.ts'
import { toVisibleJson } from './visible.ts'

/** Prints plans with their reports: one JSON object on standard output, or text for people. */
export async function printPlans(
  db: Kysely<Tables>,
  reports: readonly RunReport[],
  view: PlanView,
  json: boolean,
): Promise<void> {
  if (!json) {
    for (const report of reports) {
      await printPlan(db, report, view)
      printReports([report], false)
    }
    return
  }
  process.stdout.write('{"runs":[')
  for (const [place, report] of reports.entries()) {
    process.stderr.write(describeReport(report))
    if (place > 0) process.stdout.write(',')
    await printWithPlan(db, report, toJson(report), view)
  }
  process.stdout.write(']}\n')
}

/** Prints the stored plan of a run for people: its changes by content, then a summary. Nothing where none is due. */
export async function printPlan(db: Kysely<Tables>, report: RunReport, view: PlanView): Promise<void> {
  const run = plannedRun(report)
  const counts = run === null ? [] : await countPlanned(db, run)
  if (run === null || counts.length === 0) return
  let hint = ''
  const print = (text: string) => process.stdout.write(text)
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
      // Whoever read it, such as `head`, is gone.
      if (!process.stdout.writable) return
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
  db: Kysely<Tables>,
  report: RunReport,
  object: object,
  view: PlanView,
): Promise<void> {
  const run = plannedRun(report)
  process.stdout.write(`${toVisibleJson(object).slice(0, -1)},"plan":`)
  if (run === null) return void process.stdout.write('null}')
  process.stdout.write('{"changes":[')
  let shown = 0
  for (const content of view.contents) {
    for await (const page of firstPlanned(db, run, content, view.sample)) {
      const text = page.map((change) => toVisibleJson(toShownChange(change, view.showPersonal))).join()
      process.stdout.write(shown > 0 ? `,${text}` : text)
      process.stderr.write(view.hint(text))
      shown += page.length
      if (!process.stdout.writable) return
    }
  }
  process.stdout.write(`],"shown":${shown},"total":${sumOf(await countPlanned(db, run))}}}`)
}

/** The run of a report, if it made a plan. */
function plannedRun({ integration, run, planHash }: RunReport): PlannedRun | null {
  return run === null || planHash === null ? null : { integrationId: integration, runId: run }
}
