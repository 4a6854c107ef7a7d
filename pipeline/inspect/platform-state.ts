import type { ItemChange, LastRead } from '../../loaders/explanation/item.ts'
import type { Pin } from '../../sql/tables.ts'
import { removedBecause } from '../../transforms/declare/reasons.ts'
import { decisionOn } from '../../transforms/texts/waiting-plan.ts'
import type { PlatformState, RunAt } from '../schemas/items.ts'

/** Facts about an item and about its state on the platform. */
export interface ItemState {
  readonly integrationId: string
  readonly isDesired: boolean
  /** True if the person was forgotten. */
  readonly isForgotten: boolean
  readonly isKnown: boolean
  readonly isSame: boolean
  /** The run that sent the platform's version of the item, or that read it from the platform. */
  readonly sentBy: RunAt | null
  /** Changes of the item, from the newest to the oldest. */
  readonly changes: readonly ItemChange[]
  readonly lastRead: LastRead
  /** Value of the key `removals.action`; `impossible` if the platform cannot remove items of the content. */
  readonly removals: 'remove' | 'keep' | 'impossible'
  /** The pin of the integration; null if the integration is not pinned. */
  readonly pinned: Pin | null
}

/** Says which version of an item the platform has, and why this version is not the desired version. */
export function platformStateOf(item: ItemState): PlatformState {
  const { isDesired, isKnown, isSame, sentBy, changes } = item
  const removal = isKnown
    ? undefined
    : changes.find(({ action, state }) => action === 'remove' && state === 'applied')
  return {
    has: isKnown,
    asDesired: isDesired ? isSame : !isKnown,
    text: describe(item, removal),
    sentBy,
    lastChange: changes[0] === undefined ? null : lastChange(changes[0]),
    removed: removal === undefined ? null : { ...runOf(removal), reason: removal.reason },
  }
}

function lastChange(change: ItemChange): PlatformState['lastChange'] {
  const { action, state, reason, code, retryable } = change
  return { ...runOf(change), action, state, reason: reason || null, code, retryable }
}

function describe(item: ItemState, removal: ItemChange | undefined): string {
  const { isDesired, isKnown, isSame, sentBy, changes } = item
  const isSent = changes.some(({ run_id, state }) => run_id === sentBy?.run && state === 'applied')
  const has = sentBy === null ? '' : `, ${isSent ? 'sent' : 'read back'} by ${named(sentBy)}`
  const isHandedOver = changes.some(
    ({ run_id, action, state }) => run_id === sentBy?.run && action === 'handover' && state === 'applied',
  )
  const removed = isHandedOver
    ? '; the registration had changed hands, so the item of the person before was removed first'
    : ''
  if (isDesired && isSame) return `it has the item as desired${has}${removed}`
  if (!isDesired && !isKnown) {
    if (removal === undefined) return 'it does not have the item'
    const { reason } = removal
    return `it no longer has the item: removed by ${named(runOf(removal))}, because ${removedBecause(reason)} (${reason})`
  }
  const otherwise = isDesired ? `it has the item with other values${has}` : `it still has the item${has}`
  return `${isKnown ? otherwise : 'it does not have the item yet'}: ${whyNot(item)}`
}

/** Says why the platform does not have the desired version. */
function whyNot(item: ItemState): string {
  const { integrationId, isDesired, lastRead, removals } = item
  const [change] = item.changes
  if (!isDesired && removals === 'impossible')
    return `this type of platform cannot remove such items; remove it there by hand, then \`event-sync run ${integrationId} --refresh\` reads back what the platform has`
  if (item.isForgotten && change?.action !== 'remove')
    return 'the next run removes it, because the person was forgotten'
  if (change === undefined || change.run_id !== lastRead.run_id) {
    const before = change?.state === 'failed' ? `; earlier, ${rejected(change)}` : ''
    if (isDesired) return `no run has planned it yet${before}`
    return removals === 'keep'
      ? 'removals.action: keep removes nothing'
      : 'nothing is removed where a read was not proved complete, or a record could not be read'
  }
  const run = named(runOf(change))
  const failed = item.changes.slice(1).find(({ state }) => state === 'failed' || state === 'applied')
  const before = failed?.state === 'failed' ? `; earlier, ${rejected(failed)}` : ''
  switch (change.state) {
    case 'failed':
      return `${rejected(change)}; the next run tries again`
    case 'withheld':
      return change.held === null
        ? `${run} withheld the removal, because the platform rejected too many other changes; event-sync show ${change.run_id} says what releases it`
        : `${run} left the removal out, held by ${change.held.guard}; to approve it: event-sync plan ${integrationId}, then apply the plan that it prints`
    case 'sent':
      return `${run} sent it, but the answer is not known; event-sync run ${integrationId} finds out`
    case 'applied':
      return `${run} sent it, but the platform has changed since`
    case 'pending':
      return `${pending(change, item)}${before}`
  }
}

function pending(change: ItemChange, { integrationId, pinned }: ItemState): string {
  const run = named(runOf(change))
  const what =
    change.action === 'remove'
      ? `to remove it, because ${removedBecause(change.reason)} (${change.reason})`
      : change.action === 'handover'
        ? 'to hand it over to another person: to remove it, then to create it again'
        : `to ${change.action} it`
  const apply = decisionOn({
    integration: integrationId,
    run: change.run_id,
    planHash: change.plan_hash ?? '',
    rollbackTo: change.rollback_to,
    pinned,
  })
  if (change.status === 'held') {
    return `${run} planned ${what}, but is held by ${change.held?.guard ?? 'a guard'}; ${apply}`
  }
  if (change.status === 'planned') return `${run} planned ${what}, but nothing was sent; ${apply}`
  return `${run} is sending the change ${what}; if it was interrupted, event-sync run ${integrationId} finishes it`
}

function rejected(change: ItemChange): string {
  const code = change.code === null ? '' : ` (${change.code})`
  const again = change.retryable === true ? ', and says that it may succeed later' : ''
  return `the platform rejected the change of ${named(runOf(change))}${code}${again}`
}

function runOf({ run_id, started_at }: ItemChange): RunAt {
  return { run: run_id, at: started_at.toISOString() }
}

/** Returns the words that name a run in a sentence, with its start time. */
export function named({ run, at }: RunAt): string {
  return `run ${run} of ${at}`
}
