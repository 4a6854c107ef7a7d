import type { Hold } from '../../sql/tables.ts'
import type { GuardName } from './guards.ts'

/** Describes what a guard saw in a plan that speaks against applying it. */
export interface GuardFinding {
  readonly guard: GuardName
  /** Its finding, with the numbers; names of fields, never a value of a record. */
  readonly detail: string
  /** A sentence for people: what to look at, and which fault looks like that. */
  readonly todo: string
  /** True if the harm lies in the removals: without them the rest of the plan may be applied. */
  readonly onlyRemovals: boolean
}

/**
 * The hold of a plan that guards tripped at: the nearest to the cause, and what the others saw.
 *
 * @param hits the nearest to the cause first
 */
export function toHold(hits: readonly GuardFinding[]): Hold | null {
  const [first, ...others] = hits
  if (first === undefined) return null
  const also = others.map(({ guard, detail }) => `also ${guard}: ${detail}`)
  return { guard: first.guard, detail: `${[first.detail, ...also].join('; ')}\n${first.todo}` }
}

/** Returns what the guards saw of a plan, and what to look at; null in a hold of a version that did not say it apart. */
export function linesOfHold({ detail }: Hold): { readonly seen: string; readonly todo: string | null } {
  const [seen = '', todo = null] = detail.split('\n')
  return { seen, todo }
}

/** Returns what to look at where rules of `exclude` are behind what a guard saw. */
export function checkRules(names: readonly string[]): string {
  return `Check the rules of exclude that leave out what was synced before: ${names.join(', ')}.`
}
