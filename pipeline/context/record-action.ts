import { type Action, keepAction, lastActionId } from '../../loaders/ledger/actions.ts'
import type { Db, OperatorAction } from '../../sql/tables.ts'
import { requireNotMoved } from '../database/moved.ts'
import type { Environment } from '../runtime/environment.ts'
import { makeRunId } from '../runtime/run-id.ts'
import { timestamp } from './run-context.ts'

/** Parts that only some actions have. If `madeBy` is left out, it is the user who runs the command. */
type ActionParts = Partial<Pick<Action, 'madeBy' | 'reason' | 'until' | 'runId' | 'detail'>>

/**
 * Logs an action of an operator, in the same transaction as the effect of the action.
 *
 * @throws UserError if a move of the database ended since the command opened the database
 */
export async function recordAction(
  transaction: Db,
  { environment }: { readonly environment: Pick<Environment, 'now' | 'randomBytes' | 'user'> },
  integrationId: string,
  action: OperatorAction,
  { madeBy = environment.user, reason = null, until = null, runId = null, detail = null }: ActionParts = {},
): Promise<void> {
  const last = await lastActionId(transaction, integrationId)
  await keepAction(transaction, integrationId, {
    actionId: makeRunId(environment.now(), environment.randomBytes(10), last),
    action,
    madeAt: timestamp(environment),
    madeBy,
    reason,
    until,
    runId,
    detail,
  })
  await requireNotMoved(transaction)
}
