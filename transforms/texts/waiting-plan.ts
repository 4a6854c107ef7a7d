import type { Pin } from '../../sql/tables.ts'

/** Facts from which the commands for a plan are made. */
export interface WaitingPlan {
  readonly integration: string
  readonly run: string
  readonly planHash: string
  /** Run whose state a rollback restores; null for other plans. */
  readonly rollbackTo: string | null
  /** The pin of the integration; null if the integration is not pinned. */
  readonly pinned: Pin | null
}

/**
 * Returns the command that approves a plan. If the integration is pinned, the command first ends the pause,
 * except for the plan of a rollback.
 */
export function approvalOf({ integration, planHash, rollbackTo, pinned }: WaitingPlan): string {
  const apply = `event-sync apply ${integration} ${planHash}`
  return pinned === null || rollbackTo !== null ? apply : `event-sync resume ${integration} && ${apply}`
}

/** Says what the user must do if the plan is wrong. */
export function ifPlanIsWrong({ integration, rollbackTo }: WaitingPlan): string {
  return rollbackTo === null
    ? `correct the source, then \`event-sync run ${integration}\``
    : 'do nothing, because nothing is sent without approval'
}

/** Returns the command that makes a new plan if the old plan can no longer be applied. */
export function planAgain({
  integration,
  rollbackTo,
}: Pick<WaitingPlan, 'integration' | 'rollbackTo'>): string {
  return rollbackTo === null
    ? `event-sync plan ${integration}`
    : `event-sync rollback ${integration} ${rollbackTo}`
}

/** Says with which commands a user can look at a plan, approve it and replace it, in this order. */
export function decisionOn(plan: WaitingPlan): string {
  return `look at the plan with \`event-sync show ${plan.run}\`; if it is right, approve it with \`${approvalOf(plan)}\`; if it is wrong, ${ifPlanIsWrong(plan)}`
}
