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

/**
 * Reserves the next turn of an account at a platform that takes a known number of requests a minute. The
 * function uses a single statement, so that two processes never get the same turn.
 *
 * @param intervalMs time from the reserved turn to the turn after it
 * @returns milliseconds until the reserved turn
 */
export async function takeTurn(db: Db, account: string, intervalMs: number): Promise<number> {
  const interval = sql`${intervalMs} * interval '1 millisecond'`
  const { rows } = await sql<{ readonly waitMs: number }>`
    insert into sync.rate_budgets as budget (host, resets_at)
    values (${account}, clock_timestamp() + ${interval})
    on conflict (host) do update
    set resets_at = greatest(budget.resets_at, clock_timestamp()) + ${interval},
      changed_at = clock_timestamp()
    returning greatest(0, ceil(extract(epoch from resets_at - ${interval} - clock_timestamp()) * 1000))::integer
      as "waitMs"`.execute(db)
  const [turn] = rows
  if (turn === undefined) throw new Error(`no turn was reserved for ${account}`)
  return turn.waitMs
}

/** Lets all turns of an account that no process has reserved yet begin later. */
export async function postponeTurns(db: Db, account: string, byMs: number): Promise<void> {
  await sql`
    update sync.rate_budgets
    set resets_at = resets_at + ${byMs} * interval '1 millisecond',
      changed_at = clock_timestamp()
    where host = ${account}`.execute(db)
}

/**
 * Gives back the turn of an account that begins in `leftMs`, if no process has reserved a later turn. The turn
 * after it begins `intervalMs` later, and may differ by half of that, because two clocks are read.
 */
export async function giveBackTurn(
  db: Db,
  account: string,
  intervalMs: number,
  leftMs: number,
): Promise<void> {
  await sql`
    update sync.rate_budgets
    set resets_at = resets_at - ${intervalMs} * interval '1 millisecond',
      changed_at = clock_timestamp()
    where host = ${account}
      and resets_at < clock_timestamp() + ${leftMs + 1.5 * intervalMs} * interval '1 millisecond'`.execute(db)
}
