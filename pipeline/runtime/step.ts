import type { StepTime } from '../schemas/runs.ts'

export type Step = StepTime['step']

/** The steps of a run, in their order. */
export const STEPS = [
  'extract',
  'refresh',
  'stage',
  'transform',
  'plan',
  'apply',
  'audit',
] as const satisfies readonly Step[]

/**
 * Number of a step among all steps of its command. If an earlier step is skipped, the number stays the same.
 */
export interface StepPlace {
  readonly number: number
  readonly of: number
}

/** Adds up the durations of each step. If a plan needs a second reading, some steps are done twice. */
export function timesByStep(times: readonly StepTime[]): readonly StepTime[] {
  const sums = new Map<Step, number>()
  for (const { step, ms } of times) sums.set(step, (sums.get(step) ?? 0) + ms)
  return Array.from(sums, ([step, ms]) => ({ step, ms }))
}
