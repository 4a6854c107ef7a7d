import type { Notice } from '../../loaders/ledger/notices.ts'
import type { NoticeState, NotifiedEnd } from '../../sql/tables.ts'

/** A state that lasts is reported again after this time. */
const REMIND_MS = 24 * 3_600_000

/** The newest message about a state: the knowledge of a receiver once it has accepted what still waits. */
export type Told = Pick<Notice, 'end' | 'state' | 'sentAt'>

/**
 * Returns what a message about the end of a run says; null if no message is to be sent.
 *
 * @param on ends of which the receiver is notified
 * @param told newest message about a state; undefined if there is none
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
  // A failed run does not show that the plan of an earlier run is no longer held.
  if (known !== null && end !== 'failed') return 'over'
  return end === 'finished' && on.includes('finished') ? 'ended' : null
}

/** Returns the state that the newest message reports; null if that message says that it is over. */
export function troubleIn(told: Told | undefined): NotifiedEnd | null {
  return told === undefined || told.state === 'over' ? null : told.end
}

/** Returns true a day after the message was accepted, or if the clock was set back by a day or more. */
function isDue(told: Told | undefined, nowMs: number): boolean {
  const sentAt = told?.sentAt ?? null
  return sentAt !== null && Math.abs(nowMs - sentAt.getTime()) >= REMIND_MS
}
