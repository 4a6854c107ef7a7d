import { TOKEN } from '../../harness/source-server.ts'
import type { SourceType } from './event.ts'
import type { Fault, Outcome } from './fault.ts'
import type { Cast } from './fault-server.ts'
import { bodyFaults, recordFaults, tokenFaults } from './table/bodies.ts'
import { networkFaults, redirectFaults, statusFaults } from './table/http.ts'
import { pagingFaultsOfA, pagingFaultsOfB } from './table/paging.ts'

/** Every fault, with the result that the documents require, written before it was tried. */
export const faults: readonly Fault[] = [
  ...networkFaults,
  ...statusFaults,
  ...bodyFaults,
  ...redirectFaults,
  ...pagingFaultsOfA,
  ...pagingFaultsOfB,
  ...recordFaults,
  ...tokenFaults,
]

/** Returns the expected result of a fault at a place; null if it does not apply there. */
export function expectedAt(fault: Fault, type: SourceType, place: string): Outcome | null {
  if (!fault.sources.includes(type)) return null
  if (place === TOKEN) return type === 'b' ? fault.atToken : null
  return fault.isOfToken ? null : fault.expected
}

const WORST_FIRST = ['failed', 'uncertified', 'late', 'recovered'] as const

/** Returns the expected result of a run with these faults: that of the worst one. */
export function expectedOf(type: SourceType, casts: readonly Cast[]): Outcome {
  const all = casts.map(({ fault, place }) => expectedAt(fault, type, place))
  return WORST_FIRST.find((outcome) => all.includes(outcome)) ?? 'recovered'
}
