import type { FaultOrder } from '../../pipeline/demo/sample-platform/faults.ts'
import type { Command, Ended } from './commands.ts'
import type { Reading } from './model-history.ts'
import type { ExpectedReport } from './model-report.ts'
import type { Settings } from './settings.ts'

/** A command for people: over what it was given, how it should have ended, and how it did. */
export function describeCommand(
  command: Command,
  { content, removals, onHold, batchSize }: Settings,
  { source, isReadable }: Reading,
  orders: readonly FaultOrder[],
  expected: readonly ExpectedReport[],
  { reports, code }: Ended,
): string {
  const sizes = Object.entries(source.elements).map(([name, list]) => `${name} ${list.length}`)
  const told = expected.map(
    ({ status, guards, changes, failed, withheld }) =>
      `${status}${guards.length > 0 ? ` (${guards})` : ''} ${Object.values(changes)
        .map(({ create, update, remove }) => `+${create}~${update}-${remove}`)
        .join(' ')} failed ${failed} withheld ${withheld}`,
  )
  return [
    `${JSON.stringify(command)} of ${content}; removals ${removals}, onHold ${onHold}, batches of ${batchSize}`,
    `  source: ${sizes.join(', ')}${isReadable ? '' : '; cannot be read'}${(source.uncertified ?? []).map((name) => `; ${name} not proved`)}`,
    ...(orders.length > 0 ? [`  platform: ${JSON.stringify(orders)}`] : []),
    `  expected ${told.join(' | ')}`,
    `  ended ${reports.map(({ status, error }) => `${status}${error === undefined ? '' : `: ${error.split('\n')[0]}`}`).join(' | ')}, exit ${code}`,
  ].join('\n')
}
