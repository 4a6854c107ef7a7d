import { countChanges, READING_ORDER, type RunReport } from '../report.ts'

/**
 * Prints reports: one JSON object on standard output, or text for people, what went wrong on standard error.
 *
 * Source: design 6 (contract).
 */
export function printReports(reports: readonly RunReport[], json: boolean): void {
  for (const report of reports) {
    const output = json || report.error !== undefined ? process.stderr : process.stdout
    output.write(describeReport(report))
  }
  if (json) process.stdout.write(`${JSON.stringify({ runs: reports.map(toJson) })}\n`)
}

/** The shape that the contract names. */
export function toJson({ kept, failed, withheld, notes, approved, ...report }: RunReport) {
  return report
}

/** What a run did, in words and figures. */
export function describeReport(report: RunReport): string {
  const lines = [`${report.integration}: ${headline(report)}`]
  for (const content of READING_ORDER) {
    const { create, update, remove, unchanged } = report.changes[content]
    if (create + update + remove + unchanged === 0) continue
    lines.push(
      `  ${content.padEnd(10)} ${create} to create, ${update} to update, ${remove} to remove, ${unchanged} unchanged`,
    )
  }
  const excluded = Object.entries(report.excluded)
  if (excluded.length > 0) {
    lines.push(`  excluded   ${excluded.map(([reason, count]) => `${reason} ${count}`).join(', ')}`)
  }
  if (report.kept !== undefined && report.kept > 0) {
    lines.push(
      `  kept       ${report.kept} items stay on the platform, though the source no longer has what they came from`,
    )
  }
  if (report.failed !== undefined && report.failed > 0) {
    lines.push(
      `  rejected   ${report.failed} changes that the platform did not take; the next run tries them again`,
    )
  }
  if (report.quarantined > 0) {
    lines.push(
      `  quarantined ${report.quarantined}: records that could not be read (guards.maxQuarantined says how many may be); which and why: event-sync quarantine ${report.integration}`,
    )
  }
  for (const note of report.notes ?? []) lines.push(`  note       ${note}`)
  if (report.held !== null) {
    const held = report.approved === true ? 'approved, though held by' : 'held by'
    lines.push(`  ${held} ${report.held.guard}: ${report.held.detail}`)
  }
  if (report.withheld !== undefined && report.withheld > 0) {
    const todo =
      report.held === null
        ? 'since changes were rejected; the next run has them again'
        : `to approve them: event-sync plan ${report.integration}, then apply the plan that it prints`
    lines.push(`  withheld   ${report.withheld} removals; ${todo}`)
  }
  if (report.status === 'held' || (report.status === 'planned' && countChanges(report) > 0)) {
    lines.push(`  apply it with: event-sync apply ${report.integration} ${report.planHash}`)
  }
  if (report.run !== null) lines.push(`  run        ${report.run}`)
  if (report.output !== null) lines.push(`  pack       ${report.output}`)
  return `${lines.join('\n')}\n`
}

function headline(report: RunReport): string {
  if (report.error !== undefined) return report.error.replaceAll('\n', '\n  ')
  const changes = countChanges(report) - (report.withheld ?? 0)
  const planned = changes === 0 ? 'nothing to change' : `${changes} changes`
  switch (report.status) {
    case 'finished':
      return `applied, ${planned}${report.certified ? '' : '; a read was not proved complete'}`
    case 'held':
      return `held, ${planned}; nothing was sent`
    case 'planned':
      return `planned, ${planned}; nothing was sent`
    default:
      return `${report.status}, ${planned}`
  }
}
