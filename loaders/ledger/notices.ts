import type { Db, NoticeState, NotifiedEnd } from '../../sql/tables.ts'

/** An integration and a receiver, between which notices are ordered. */
export interface NoticesOf {
  readonly integrationId: string
  /** Key of the receiver. It contains no secret. */
  readonly receiver: string
}

/** A message about the end of a run. */
export interface Notice {
  /** UUIDv7. Within an integration and a receiver, later notices have greater ids. */
  readonly noticeId: string
  readonly runId: string | null
  readonly end: NotifiedEnd
  readonly state: NoticeState
  readonly body: string
  readonly madeAt: Date
  /** Null if the receiver has not accepted it yet. */
  readonly sentAt: Date | null
}

/** Notices that were made outside of this time are no longer sent. */
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

/** Finds the notice with the greatest id. */
export async function findNewest(db: Db, of: NoticesOf): Promise<Notice | undefined> {
  return noticesOf(db, of).orderBy('notice_id', 'desc').limit(1).executeTakeFirst()
}

/**
 * Finds the newest accepted notice about a state, which says what the receiver knows.
 *
 * @param pending if given, notices that still wait and were made within this time count too
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

/** Finds notices that are not sent yet and were made within this time, oldest first. */
export async function findUnsent(db: Db, of: NoticesOf, within: Window): Promise<readonly Notice[]> {
  return noticesOf(db, of)
    .where('sent_at', 'is', null)
    .where('made_at', '>', within.after)
    .where('made_at', '<', within.before)
    .orderBy('notice_id')
    .execute()
}

/** Stores a notice that is to be sent. */
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

/** Deletes a notice that is not to be sent any more. */
export async function dropNotice(db: Db, of: NoticesOf, noticeId: string): Promise<void> {
  await db
    .deleteFrom('sync.notices')
    .where(({ and }) => and({ integration_id: of.integrationId, receiver: of.receiver, notice_id: noticeId }))
    .execute()
}
