import { sql } from 'kysely'
import type { Db } from './tables.ts'

/**
 * A request of a process for credits of an account, with the limits that answers have stated since its last
 * one.
 */
export interface CreditOrder {
  /** Credits that a request costs. */
  readonly cost: number
  /** True to take the credits; false only to report the limits. */
  readonly wantsRequest: boolean
  readonly limit: number | null
  readonly left: number | null
  /** Credits of unanswered requests, which the source may not have subtracted from `left` yet. */
  readonly underWay: number
  readonly resetMs: number | null
  readonly closedMs: number | null
}

export interface CreditGrant {
  readonly isGranted: boolean
  /** Milliseconds until a request may be granted; null if the next answer decides when. */
  readonly waitMs: number | null
}

/** Takes the credits of one request. It is one statement, so that no other process gets the same credits. */
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
