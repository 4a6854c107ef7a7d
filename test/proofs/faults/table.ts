import { TOKEN } from '../../harness/source-server.ts'
import type { SourceType } from './event.ts'
import type { Fault, Outcome } from './fault.ts'
import type { Cast } from './fault-server.ts'
import { bodyFaults, recordFaults, tokenFaults } from './table/bodies.ts'
import { networkFaults, redirectFaults, statusFaults } from './table/http.ts'
import { pagingFaultsOfA, pagingFaultsOfB } from './table/paging.ts'

/**
 * Every fault with its expected result. The results were taken from the documents before the tests ran for
 * the first time.
 */
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

/**
 * Returns the expected result of a fault at a place (a resource or the token endpoint); null if the fault is
 * impossible at this place.
 */
export function expectedAt(fault: Fault, type: SourceType, place: string): Outcome | null {
  if (!fault.sources.includes(type)) return null
  if (place === TOKEN) return type === 'b' ? fault.atToken : null
  return fault.isOfToken ? null : fault.expected
}

const WORST_FIRST = ['failed', 'uncertified', 'late', 'recovered'] as const

/**
 * Returns the expected result of a run with these faults, which is the expected result of the worst fault.
 */
export function expectedOf(type: SourceType, casts: readonly Cast[]): Outcome {
  const all = casts.map(({ fault, place }) => expectedAt(fault, type, place))
  return WORST_FIRST.find((outcome) => all.includes(outcome)) ?? 'recovered'
}
