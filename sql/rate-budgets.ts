import { type RawBuilder, sql } from 'kysely'

/** A database, or a transaction of it. */
type Executor = Parameters<RawBuilder<unknown>['execute']>[0]

/** What a process has left of a lease, what its answers have told since, and what it wants. */
export interface LeaseOrder {
  /** Credits that a request takes. */
  readonly cost: number
  readonly wanted: number
  readonly returned: number
  /** Window that `returned` was granted in. */
  readonly window: string
  /** Null where nothing was told. */
  readonly limit: number | null
  readonly left: number | null
  readonly resetMs: number | null
  readonly closedMs: number | null
}

export interface Lease {
  /** Credits; null: the host tells of no limit. */
  readonly granted: number | null
  /** How long nothing is granted; 0 where something is. */
  readonly waitMs: number
  readonly window: string
}

/** Takes credits of a host in one statement, which no other process can come between. */
export async function leaseCredits(db: Executor, host: string, order: LeaseOrder): Promise<Lease> {
  const { rows } = await sql<{ granted: number | null; waitMs: number; window: string }>`
    select granted, wait_ms as "waitMs", of_window::text as "window"
    from sync.lease_credits(
      ${host}, ${order.cost}, ${order.wanted}, ${order.returned}, ${order.window}::bigint,
      ${order.limit}, ${order.left}, ${order.resetMs}, ${order.closedMs}
    )`.execute(db)
  const [lease] = rows
  if (lease === undefined) throw new Error(`sync.lease_credits gave nothing for ${host}`)
  return lease
}
