/** The steps of a run, in their order. */
export const STEPS = ['extract', 'refresh', 'stage', 'transform', 'plan', 'apply', 'audit'] as const

export type Step = (typeof STEPS)[number]

/** Position of a step among the steps of its command. A step that is skipped keeps its number. */
export interface StepPlace {
  readonly number: number
  readonly of: number
}

/** The time that a step of a run took. */
export interface StepTime {
  readonly step: Step
  readonly ms: number
}

/** Adds up the times of each step. A plan that needs a second reading does some of its steps twice. */
export function timesByStep(times: readonly StepTime[]): readonly StepTime[] {
  const sums = new Map<Step, number>()
  for (const { step, ms } of times) sums.set(step, (sums.get(step) ?? 0) + ms)
  return Array.from(sums, ([step, ms]) => ({ step, ms }))
}
