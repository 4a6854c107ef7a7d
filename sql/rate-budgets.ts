import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** What a process has left of a lease, what answers have said since, and what it wants. */
export interface LeaseOrder {
  readonly cost: number
  readonly wanted: number
  readonly returned: number
  /** Window that `returned` was granted in. */
  readonly window: string
  readonly limit: number | null
  readonly left: number | null
  /** Credits of requests under way, which the source may not have counted in `left` yet. */
  readonly underWay: number
  readonly resetMs: number | null
  readonly closedMs: number | null
}

export interface Lease {
  /** Credits; null: the source states no limit. */
  readonly granted: number | null
  /** How long nothing is granted; 0 where something is; null until the next answer, which decides it. */
  readonly waitMs: number | null
  readonly window: string
}

/** Takes credits of an account in one statement, which no other process can come between. */
export async function leaseCredits(db: Db, account: string, order: LeaseOrder): Promise<Lease> {
  const left = order.left === null ? null : Math.max(0, order.left - order.underWay)
  const { rows } = await sql<Lease>`
    select granted, wait_ms as "waitMs", of_window::text as "window"
    from sync.lease_credits(
      ${account}, ${order.cost}, ${order.wanted}, ${order.returned}, ${order.window}::bigint,
      ${order.limit}, ${left}, ${order.resetMs}, ${order.closedMs}
    )`.execute(db)
  const [lease] = rows
  if (lease === undefined) throw new Error(`sync.lease_credits gave nothing for ${account}`)
  return lease
}
