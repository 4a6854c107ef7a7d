import { sql } from 'kysely'
import type { Db } from './tables.ts'

/**
 * A process's request for credits of an account at the source. The request also reports the limits that the
 * source's answers have stated since the last request.
 */
export interface CreditOrder {
  /** Number of credits that one request to the source costs. */
  readonly cost: number
  /** True takes the credits; false only reports the limits. */
  readonly wantsRequest: boolean
  readonly limit: number | null
  readonly left: number | null
  /**
   * Credits of requests without an answer yet. The source may not have subtracted these credits from `left`.
   */
  readonly underWay: number
  readonly resetMs: number | null
  readonly closedMs: number | null
}

export interface CreditGrant {
  readonly isGranted: boolean
  /** Milliseconds until the credits may be granted; null if the time depends on the next answer. */
  readonly waitMs: number | null
}

/**
 * Takes the credits of one request from the account's budget. The function uses a single statement, so that
 * two processes can never get the same credits.
 */
export async function takeCredits(db: Db, account: string, order: CreditOrder): Promise<CreditGrant> {
  const left = order.left === null ? null : Math.max(0, order.left - order.underWay)
  const { rows } = await sql<CreditGrant>`
    select is_granted as "isGranted", wait_ms as "waitMs"
    from sync.take_credits(
      ${account}, ${order.cost}, ${order.wantsRequest}, ${order.limit}, ${left}, ${order.resetMs}, ${order.closedMs}
    )`.execute(db)
  const [grant] = rows
  if (grant === undefined) throw new Error(`sync.take_credits returned nothing for ${account}`)
  return grant
}
