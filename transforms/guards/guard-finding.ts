import type { Hold } from '../../sql/tables.ts'
import type { GuardName } from './guards.ts'

/** A reason that a guard found for not applying a plan. */
export interface GuardFinding {
  readonly guard: GuardName
  /** The finding with its numbers. It may name fields, but never contains a value of a record. */
  readonly detail: string
  /** Advice: what to check, and which fault has the same effect. */
  readonly todo: string
  /** True if only the removals do harm, so that the rest of the plan may be applied without them. */
  readonly onlyRemovals: boolean
}

/**
 * Makes the hold of a plan from the findings of guards. Its text begins with the first finding, and ends with
 * the advice for it.
 *
 * @param hits findings; the finding that is nearest to the cause comes first
 */
export function toHold(hits: readonly GuardFinding[]): Hold | null {
  const [first, ...others] = hits
  if (first === undefined) return null
  const also = others.map(({ guard, detail }) => `also ${guard}: ${detail}`)
  return { guard: first.guard, detail: `${[first.detail, ...also].join('; ')}\n${first.todo}` }
}

/**
 * Returns the findings and the advice of a hold, which are two lines. The advice is null if the hold has only
 * one line.
 */
export function linesOfHold({ detail }: Hold): { readonly seen: string; readonly todo: string | null } {
  const [seen = '', todo = null] = detail.split('\n')
  return { seen, todo }
}

/** Returns the advice for a finding that rules of `exclude` caused. */
export function checkRules(names: readonly string[]): string {
  return `Check the rules of exclude that leave out what was synced before: ${names.join(', ')}.`
}
