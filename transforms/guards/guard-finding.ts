import type { Hold } from '../../sql/tables.ts'
import type { GuardName } from './guards.ts'

/** A reason that a guard found for not applying a plan. */
export interface GuardFinding {
  readonly guard: GuardName
  /** The finding with its numbers. It may name fields, but never contains a value of a record. */
  readonly detail: string
  /** Advice: what to check, and which fault looks like this finding. */
  readonly todo: string
  /** True if only the removals do harm, so that the rest of the plan may be applied without them. */
  readonly onlyRemovals: boolean
}

/**
 * Makes the hold of a plan from the findings of guards: the one nearest to the cause, followed by the rest.
 *
 * @param hits findings, the one nearest to the cause first
 */
export function toHold(hits: readonly GuardFinding[]): Hold | null {
  const [first, ...others] = hits
  if (first === undefined) return null
  const also = others.map(({ guard, detail }) => `also ${guard}: ${detail}`)
  return { guard: first.guard, detail: `${[first.detail, ...also].join('; ')}\n${first.todo}` }
}

/**
 * Returns the findings and the advice of a hold. The advice is null in a hold that has none on a line of its
 * own.
 */
export function linesOfHold({ detail }: Hold): { readonly seen: string; readonly todo: string | null } {
  const [seen = '', todo = null] = detail.split('\n')
  return { seen, todo }
}

/** Returns the advice for a finding that rules of `exclude` caused. */
export function checkRules(names: readonly string[]): string {
  return `Check the rules of exclude that leave out what was synced before: ${names.join(', ')}.`
}
