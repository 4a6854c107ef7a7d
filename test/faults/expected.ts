import type { SourceType } from './event.ts'
import { type Outcome, WORST_FIRST } from './fault.ts'
import type { Cast } from './fault-server.ts'
import { expectedAt } from './table.ts'

/** What must come of a run with these faults: the worst of them wins. */
export function expectedOf(type: SourceType, casts: readonly Cast[]): Outcome {
  const all = casts.map(({ fault, place }) => expectedAt(fault, type, place))
  return WORST_FIRST.find((outcome) => all.includes(outcome)) ?? 'recovered'
}
