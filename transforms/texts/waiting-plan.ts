import type { Pin } from '../../sql/tables.ts'

/** What the commands about a plan that waits for a decision depend on. */
export interface WaitingPlan {
  readonly integration: string
  readonly run: string
  readonly planHash: string
  /** Run to whose state a rollback goes back; null for other plans. */
  readonly rollbackTo: string | null
  /** The pin of the integration; null if it is not pinned. */
  readonly pinned: Pin | null
}

/** Returns the command that approves a plan. A pause must end first, unless the plan is that of a rollback. */
export function approvalOf({ integration, planHash, rollbackTo, pinned }: WaitingPlan): string {
  const apply = `event-sync apply ${integration} ${planHash}`
  return pinned === null || rollbackTo !== null ? apply : `event-sync resume ${integration} && ${apply}`
}

/** Says what to do if a plan is wrong. */
export function ifPlanIsWrong({ integration, rollbackTo }: WaitingPlan): string {
  return rollbackTo === null
    ? `correct the source, then \`event-sync run ${integration}\``
    : 'do nothing, because nothing is sent without approval'
}

/** Returns the command that makes a current plan in place of one that can no longer be applied. */
export function planAgain({
  integration,
  rollbackTo,
}: Pick<WaitingPlan, 'integration' | 'rollbackTo'>): string {
  return rollbackTo === null
    ? `event-sync plan ${integration}`
    : `event-sync rollback ${integration} ${rollbackTo}`
}

/** Says with which commands a user looks at a plan, approves it or replaces it, in this order. */
export function decisionOn(plan: WaitingPlan): string {
  return `look at the plan with \`event-sync show ${plan.run}\`; if it is right, approve it with \`${approvalOf(plan)}\`; if it is wrong, ${ifPlanIsWrong(plan)}`
}
