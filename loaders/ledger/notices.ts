import type { Db, NoticeState, NotifiedEnd } from '../../sql/tables.ts'

/** An integration and a receiver. Notices are ordered only within one pair of integration and receiver. */
export interface NoticesOf {
  readonly integrationId: string
  /** Key of the receiver. It contains no secret. */
  readonly receiver: string
}

/** A message about the end of a run, which is sent to a receiver. */
export interface Notice {
  /** UUIDv7. A later notice of the same integration and receiver has a greater id. */
  readonly noticeId: string
  readonly runId: string | null
  readonly end: NotifiedEnd
  readonly state: NoticeState
  readonly body: string
  readonly madeAt: Date
  /** Time at which the receiver accepted the notice; null if it has not accepted the notice yet. */
  readonly sentAt: Date | null
}

/** A period of time. A notice that was made outside this period is no longer sent. */
export interface Window {
  readonly after: Date
  readonly before: Date
}

function noticesOf(db: Db, { integrationId, receiver }: NoticesOf) {
  return db
    .selectFrom('sync.notices')
    .where(({ and }) => and({ integration_id: integrationId, receiver }))
    .select([
      'notice_id as noticeId',
      'run_id as runId',
      'told_end as end',
      'told_state as state',
      'body',
      'made_at as madeAt',
      'sent_at as sentAt',
    ])
}

/** Finds the notice with the greatest id, which is the newest notice. */
export async function findNewest(db: Db, of: NoticesOf): Promise<Notice | undefined> {
  return noticesOf(db, of).orderBy('notice_id', 'desc').limit(1).executeTakeFirst()
}

/**
 * Finds the newest accepted notice about a state, which is the last state that the receiver was told.
 *
 * @param pending if given, unsent notices that were made within this period are searched too
 */
export async function findTold(db: Db, of: NoticesOf, pending?: Window): Promise<Notice | undefined> {
  return noticesOf(db, of)
    .where('told_state', '<>', 'ended')
    .where((eb) => {
      const isSent = eb('sent_at', 'is not', null)
      if (pending === undefined) return isSent
      const isPending = eb.and([eb('made_at', '>', pending.after), eb('made_at', '<', pending.before)])
      return eb.or([isSent, isPending])
    })
    .orderBy('notice_id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Finds the unsent notices that were made within the given period, oldest first. */
export async function findUnsent(db: Db, of: NoticesOf, within: Window): Promise<readonly Notice[]> {
  return noticesOf(db, of)
    .where('sent_at', 'is', null)
    .where('made_at', '>', within.after)
    .where('made_at', '<', within.before)
    .orderBy('notice_id')
    .execute()
}

/** Stores a notice that will be sent later. */
export async function keepNotice(db: Db, of: NoticesOf, notice: Omit<Notice, 'sentAt'>): Promise<void> {
  const { noticeId, runId, end, state, body, madeAt } = notice
  await db
    .insertInto('sync.notices')
    .values({
      integration_id: of.integrationId,
      receiver: of.receiver,
      notice_id: noticeId,
      run_id: runId,
      told_end: end,
      told_state: state,
      body,
      made_at: madeAt.toISOString(),
    })
    .execute()
}

export async function markSent(db: Db, of: NoticesOf, noticeId: string, sentAt: string): Promise<void> {
  await db
    .updateTable('sync.notices')
    .set({ sent_at: sentAt })
    .where(({ and }) => and({ integration_id: of.integrationId, receiver: of.receiver, notice_id: noticeId }))
    .execute()
}

/** Deletes a notice that will not be sent. */
export async function dropNotice(db: Db, of: NoticesOf, noticeId: string): Promise<void> {
  await db
    .deleteFrom('sync.notices')
    .where(({ and }) => and({ integration_id: of.integrationId, receiver: of.receiver, notice_id: noticeId }))
    .execute()
}
