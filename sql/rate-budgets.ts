import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** Describes what a process wants of an account's budget, and what answers have said since it last asked. */
export interface CreditOrder {
  /** Credits that a request costs. */
  readonly cost: number
  /** Takes them; false: only reports what answers have said. */
  readonly wantsRequest: boolean
  readonly limit: number | null
  readonly left: number | null
  /** Credits of requests under way, which the source may not have counted in `left` yet. */
  readonly underWay: number
  readonly resetMs: number | null
  readonly closedMs: number | null
}

export interface CreditGrant {
  readonly isGranted: boolean
  /** Milliseconds until a request may be granted; null: until the next answer, which decides it. */
  readonly waitMs: number | null
}

/** Takes the credits of one request in one statement: no other process is granted the same ones. */
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
