import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** Rows written to each table of staging, and to the decisions and items made of them, since the server counts. */
export type Written = Readonly<Record<string, string>>

/**
 * Reads what the server has counted. The connections that wrote must be closed: the server learns of their rows when
 * they end, a moment later.
 */
export async function readWritten(client: pg.Client): Promise<Written> {
  let [before, now] = [await readOnce(client), await readOnce(client)]
  do {
    before = now
    await sleep(1000)
    now = await readOnce(client)
  } while (JSON.stringify(before) !== JSON.stringify(now))
  return now
}

async function readOnce(client: pg.Client): Promise<Written> {
  const { rows } = await client.query<{ table: string; written: string }>(`
    select schemaname || '.' || relname as table,
      format('%s inserted, %s updated, %s deleted', n_tup_ins, n_tup_upd, n_tup_del) as written
    from pg_stat_user_tables
    where schemaname = 'staging' or schemaname = 'sync' and relname in ('desired_items', 'decisions', 'platform_items')
    order by 1`)
  return Object.fromEntries(rows.map(({ table, written }) => [table, written]))
}
