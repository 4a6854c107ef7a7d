import type { RunRecord } from '../../loaders/ledger/ledger.ts'
import { counted, linesOfHold } from '../../transforms/guards/guard-finding.ts'
import type { Context } from '../context/run-context.ts'
import { isLocked } from '../database/lock.ts'
import { reportOf } from '../run/recorded-run.ts'
import { countChanges, exitCodeOf, type RunReport, worst } from '../runtime/report.ts'

/** How a run ended, as its command did; one that nobody works on any more was interrupted. */
export async function outcomeOf(context: Context, record: RunRecord) {
  const { integration_id: id, status } = record
  const unfinished = { status, exitCode: null, changes: null }
  if (status === 'abandoned') return { ...unfinished, reason: 'interrupted; a later run began again' }
  if (['running', 'applying', 'applied'].includes(status)) {
    if (await isLocked(context.database.kysely, id)) return { ...unfinished, reason: null }
    const todo = status === 'running' ? 'reads on from there' : 'finishes it first'
    const reason = `interrupted; \`event-sync run ${id}\` ${todo}`
    return { ...unfinished, status: status === 'running' ? 'interrupted' : status, reason }
  }
  const report = reportOf(context, record)
  const { failed = 0, notes = [], quarantined, held } = report
  const approved = report.approved === true ? ', approved' : ''
  const reasons = [
    record.error?.split('\n')[0] ?? '',
    held === null ? '' : `${held.guard}${approved}: ${linesOfHold(held).seen}`,
    report.certified || record.certified === null ? '' : 'a read was not proved complete',
    quarantined === 0 ? '' : `${counted(quarantined, 'record')} could not be read`,
    failed === 0 ? '' : `the platform rejected ${counted(failed, 'change')}`,
    ...notes,
  ]
  const reason = reasons.filter((one) => one !== '').join('; ') || null
  return { status, exitCode: codeOfReports(context, [report]), changes: countChanges(report), reason }
}

/** The exit code of a command that ends with these reports. */
export function codeOfReports({ config }: Context, reports: readonly RunReport[]): number {
  const codes = reports.map((report) => {
    const integration = config.integrations.find(({ id }) => id === report.integration)
    return exitCodeOf(report, integration?.guards.maxQuarantined ?? 0)
  })
  return worst(codes)
}
