import { exitCodeOf, type RunReport } from '../../../pipeline/runtime/report.ts'
import { compareInOrder, compareRows, compareValues, type Difference } from '../../harness/compare.ts'
import { readOperations, readRows } from '../../harness/read-pack.ts'
import type { Expected } from './model-run.ts'

/** Compares the report and the pack of a run with the expectations of the model. */
export function compareRun(expected: Expected, report: RunReport): readonly Difference[] {
  const { status, guards, changes, excluded, quarantined, certified } = expected
  const { error, output, integration, run, planHash } = report
  const found = [
    ...compareValues(
      'report status',
      status,
      error === undefined ? report.status : `${report.status}: ${error}`,
    ),
    ...compareValues('report held', guards, guardsOf(report)),
    ...compareValues('report changes', changes, report.changes),
    ...compareValues('report excluded', excluded, report.excluded),
    ...compareValues('report quarantined', quarantined, report.quarantined),
    ...compareValues('report certified', certified, report.certified),
    // Exit code 4 means that the plan is held. Exit code 3 means that a reading was not proved complete, or that
    // a record is quarantined, because the default of guards.maxQuarantined is 0.
    ...compareValues(
      'exit code',
      guards.length > 0 ? 4 : quarantined > 0 || !certified ? 3 : 0,
      exitCodeOf(report, 0),
    ),
  ]
  if (status === 'held') return found
  if (output === null) return [...found, ...compareValues('report output', 'a folder', null)]
  const { header, operations, faults } = readOperations(output)
  const due = { type: 'header', contract: '1.0', integration, run, planHash }
  return [
    ...found,
    ...Object.entries(expected.files).flatMap(([file, rows]) =>
      compareRows(file, rows, readRows(output, file)),
    ),
    ...compareValues('operations.jsonl, header', JSON.stringify(due), JSON.stringify(header)),
    ...compareValues('operations.jsonl', [], faults),
    ...compareInOrder('operations.jsonl', expected.operations, operations),
  ]
}

/**
 * Returns the name of the guard that holds the plan, followed by the names of further guards in its detail
 * text.
 */
export function guardsOf({ held }: RunReport): readonly string[] {
  if (held === null) return []
  return [held.guard, ...[...held.detail.matchAll(/; also (\w+): /g)].map(([, guard]) => guard ?? '')]
}
