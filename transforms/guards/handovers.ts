import type { Content } from '../../sql/tables.ts'
import type { Plan } from '../plan/plan.ts'
import { counted } from '../texts/counted.ts'
import type { GuardFinding } from './guard-finding.ts'

const LEAST = 5
const LEAST_SHARE = 0.1

/**
 * Holds a plan for approval if many registrations change hands at once. The usual cause is a source that
 * reuses its ids for other people. Without the guard, every attendee would lose the account.
 */
export function findManyHandovers(
  changes: Plan['changes'],
  live: ReadonlyMap<Content, number>,
): GuardFinding | null {
  const [handovers, items] = [changes.attendees?.handover ?? 0, live.get('attendees') ?? 0]
  if (handovers < LEAST || handovers < LEAST_SHARE * items) return null
  return {
    guard: 'massUpdate',
    detail: `${handovers} of ${counted(items, 'live item')} of attendees would be handed over to other people`,
    todo: 'Compare a few of them with the source: if it gives its ids to other people, as after an import, the platform would take away the accounts of all of them.',
    onlyRemovals: false,
  }
}
