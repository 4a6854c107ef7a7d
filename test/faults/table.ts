import type { SourceType } from './event.ts'
import type { Fault } from './fault.ts'
import { bodyFaults } from './table/bodies.ts'
import { networkFaults } from './table/network.ts'
import { pagingFaultsOfA } from './table/paging-a.ts'
import { pagingFaultsOfB } from './table/paging-b.ts'
import { recordFaults } from './table/records.ts'
import { redirectFaults } from './table/redirects.ts'
import { statusFaults } from './table/statuses.ts'
import { tokenFaults } from './table/token.ts'

/** Where the faults of Source B's token endpoint are played: beside the resources. */
export const TOKEN = 'token'

/** Every way to misbehave, with the outcome that the documents demand, written before it was tried. */
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

/** What must come of a fault at a place; null where it has no meaning there. */
export function expectedAt(fault: Fault, type: SourceType, place: string): Fault['expected'] | null {
  if (!fault.sources.includes(type)) return null
  if (place === TOKEN) return type === 'b' ? fault.atToken : null
  return fault.isOfToken ? null : fault.expected
}
