import type { Notice } from '../../loaders/ledger/notices.ts'
import type { NoticeState, NotifiedEnd } from '../../sql/tables.ts'

/** Time after which a state that still lasts is reported again. */
const REMIND_MS = 24 * 3_600_000

/**
 * The newest stored message about a state. The receiver knows the state as soon as it has accepted the
 * messages that wait for it.
 */
export type Told = Pick<Notice, 'end' | 'state' | 'sentAt'>

/**
 * Decides what a message about the end of a run says; null if no message is sent.
 *
 * @param on ends of runs about which the receiver is notified
 * @param told newest message about a state; undefined if no message was sent
 */
export function nextState(
  end: NotifiedEnd,
  on: readonly NotifiedEnd[],
  told: Told | undefined,
  nowMs: number,
): NoticeState | null {
  const known = troubleIn(told)
  if (end !== 'finished' && on.includes(end)) {
    if (known === null) return 'begun'
    if (known !== end) return 'changed'
    return isDue(told, nowMs) ? 'lasting' : null
  }
  // If a run failed, the plan of an earlier run may still be held.
  if (known !== null && end !== 'failed') return 'over'
  return end === 'finished' && on.includes('finished') ? 'ended' : null
}

/**
 * Returns the state that the newest message reports. Returns null if the message says that the state is over.
 */
export function troubleIn(told: Told | undefined): NotifiedEnd | null {
  return told === undefined || told.state === 'over' ? null : told.end
}

/**
 * Returns true one day after the message was accepted. Also returns true if the clock was set back by a day
 * or more.
 */
function isDue(told: Told | undefined, nowMs: number): boolean {
  const sentAt = told?.sentAt ?? null
  return sentAt !== null && Math.abs(nowMs - sentAt.getTime()) >= REMIND_MS
}
