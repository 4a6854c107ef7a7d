import { sql } from 'kysely'
import type { Db, Missed } from '../../sql/tables.ts'
import type { StagingTables } from '../resources/staging-tables.ts'

export interface ComparedReading {
  readonly integrationId: string
  readonly table: keyof StagingTables
  readonly incoming: string
  /** Time from which this run would have asked for changes. */
  readonly since: string
  /** Keys that were not asked for in both of this full reading and the last: they show nothing. */
  readonly ignored: readonly string[]
  readonly asked: readonly string[]
}

export const NOTHING_MISSED: Missed = { count: 0, fields: {} }

/** Records that the reading found new or with another document, and that a search from `since` is to have. */
export async function countSearchable(db: Db, reading: ComparedReading): Promise<number> {
  const { rows } = await sql<{ count: string }>`with candidate as (${candidates(reading)})
    select count(*) as count from candidate where changed_at >= ${reading.since}`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/**
 * The records that a full reading found new or with another document which the next reading of changes would
 * not have brought. Records that are gone are none of them.
 *
 * @param searched table of a search from `since`; null where none was made, or proved anything
 * @returns misses by key of the source, and the number of those that would have been brought
 */
export async function findMisses(
  db: Db,
  reading: ComparedReading,
  searched: string | null,
): Promise<{ readonly missed: Missed; readonly brought: number }> {
  const isNotFound =
    searched === null
      ? sql`false`
      : sql`not exists (select from ${sql.table(searched)} as hit where hit.source_id = candidate.source_id)`
  const judged = sql`candidate as (${candidates(reading)}), judged as (
    select known, found, changed_at is null or changed_at < ${reading.since} or ${isNotFound} as is_missed
    from candidate
  )`
  const counted = await sql<{ missed: string; brought: string }>`with ${judged}
    select count(*) filter (where is_missed) as missed, count(*) filter (where not is_missed) as brought
    from judged`.execute(db)
  const { missed = '0', brought = '0' } = counted.rows[0] ?? {}
  if (Number(missed) === 0) return { missed: NOTHING_MISSED, brought: Number(brought) }
  // A key that nobody asked for may be a value.
  const { rows } = await sql<{ key: string; count: string }>`with ${judged}, differing as (
      select case when member.key = '(new)' or member.key = any (${[...reading.asked]}::text[])
        or member.key ~ '^[A-Za-z_]{1,40}$' then member.key else '*' end collate "C" as key
      from judged
      cross join lateral (
        select '(new)' as key
        where known is null
        union all
        select each.key
        from (select jsonb_object_keys(found) union select jsonb_object_keys(known)) as each (key)
        where known is not null
          and found -> each.key is distinct from known -> each.key
      ) as member
      where is_missed
    )
    select key, count(*) as count from differing group by key order by key`.execute(db)
  const fields = Object.fromEntries(rows.map(({ key, count }) => [key, Number(count)]))
  return { missed: { count: Number(missed), fields }, brought: Number(brought) }
}

function candidates({ integrationId, table, incoming, ignored }: ComparedReading) {
  const without = (doc: string) => sql`${sql.ref(doc)}::jsonb - ${[...ignored]}::text[]`
  return sql`select record.source_id, record.changed_at,
      ${without('record.doc')} as found, ${without('staged.doc')} as known
    from ${sql.table(incoming)} as record
    left join ${sql.table(table)} as staged
      on staged.integration_id = ${integrationId}
      and staged.source_id = record.source_id
      and staged.valid_to_run is null
    where record.source_id is not null
      and staged.version_hash is distinct from record.version_hash
      and (staged.source_id is null or ${without('record.doc')} is distinct from ${without('staged.doc')})
      and not exists (
        select
        from ${sql.table(incoming)} as later
        where later.source_id = record.source_id
          and later.ordinal > record.ordinal
      )`
}
