import type { Hold } from '../../sql/tables.ts'
import type { GuardName } from './guards.ts'

/** A reason not to apply a plan, found by a guard. */
export interface GuardFinding {
  readonly guard: GuardName
  /**
   * One line that says what was found, with numbers. The text may name fields, but it never contains a value
   * of a record.
   */
  readonly detail: string
  /** Advice: what the user should check, and which fault can have the same effect. */
  readonly todo: string
  /**
   * True if only the removals of the plan do harm. If only removals do harm, the rest of the plan may be
   * applied without the removals.
   */
  readonly onlyRemovals: boolean
}

/**
 * Makes the hold of a plan (why it waits for approval) from the findings of guards. The text of the hold
 * begins with the first finding and ends with the advice for the first finding.
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
 * Returns the two lines of a hold's text: the findings and the advice. The advice is null if the hold has
 * only one line.
 */
export function linesOfHold({ detail }: Hold): { readonly seen: string; readonly todo: string | null } {
  const [seen = '', todo = null] = detail.split('\n')
  return { seen, todo }
}

/** Returns the advice for a finding whose cause is a rule of `exclude`. */
export function checkRules(names: readonly string[]): string {
  return `Check the rules of exclude that leave out what was synced before: ${names.join(', ')}.`
}
