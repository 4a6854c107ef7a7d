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
  readonly resetMs: number | null
  readonly closedMs: number | null
}

export interface Lease {
  /** Credits; null: the host states no limit. */
  readonly granted: number | null
  /** How long nothing is granted; 0 where something is. */
  readonly waitMs: number
  readonly window: string
}

/** Takes credits of a host in one statement, which no other process can come between. */
export async function leaseCredits(db: Db, host: string, order: LeaseOrder): Promise<Lease> {
  const { rows } = await sql<Lease>`
    select granted, wait_ms as "waitMs", of_window::text as "window"
    from sync.lease_credits(
      ${host}, ${order.cost}, ${order.wanted}, ${order.returned}, ${order.window}::bigint,
      ${order.limit}, ${order.left}, ${order.resetMs}, ${order.closedMs}
    )`.execute(db)
  const [lease] = rows
  if (lease === undefined) throw new Error(`sync.lease_credits gave nothing for ${host}`)
  return lease
}
