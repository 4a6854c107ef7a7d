import { sql } from 'kysely'
import type { Db, Missed } from '../../sql/tables.ts'
import type { StagingTables } from '../declare/resource.ts'

/**
 * A full reading, which is compared with the staged records to find changes that readings by changes missed.
 */
export interface ComparedReading {
  readonly integrationId: string
  readonly table: keyof StagingTables
  readonly incoming: string
  /** Time since which this run would have requested changes, if it had not read everything. */
  readonly since: string
  /**
   * Keys that both this full reading and the previous full reading have staged. A difference in any other key
   * does not show that a change was missed.
   */
  readonly compared: readonly string[]
}

export const NOTHING_MISSED: Missed = { count: 0, fields: {} }

/** Counts the new or changed records of the reading that a search for changes since `since` should return. */
export async function countSearchable(db: Db, reading: ComparedReading): Promise<number> {
  const { rows } = await sql<{ count: string }>`with candidate as (${candidates(reading)})
    select count(*) as count from candidate where changed_at >= ${reading.since}`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/**
 * Returns the ids of new or changed records that a search for changes since `since` did not return. The
 * search should have returned these records, because their own time of change is `since` or later.
 *
 * @param searched name of the table with the records that the search returned
 */
export async function findUnbrought(
  db: Db,
  reading: ComparedReading,
  searched: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ source_id: string }>`with candidate as (${candidates(reading)})
    select candidate.source_id
    from candidate
    where candidate.changed_at >= ${reading.since}
      and not exists (
        select
        from ${sql.table(searched)} as hit
        where hit.source_id = candidate.source_id
      )
    order by candidate.source_id`.execute(db)
  return rows.map(({ source_id }) => source_id)
}

/**
 * Counts the new or changed records of a full reading that a reading by changes would have missed. Records
 * that are gone from the source are not counted.
 *
 * @param unbrought ids of records that a search for changes did not return although the source still has them
 * @returns `missed`: the missed records, by key of the source. `brought`: the number of records that a
 *   reading by changes would have returned
 */
export async function findMisses(
  db: Db,
  reading: ComparedReading,
  unbrought: readonly string[],
): Promise<{ readonly missed: Missed; readonly brought: number }> {
  const judged = sql`candidate as (${candidates(reading)}), judged as (
    select candidate.is_new, candidate.known, candidate.found,
      candidate.changed_at is null or candidate.changed_at < ${reading.since} or lacking.source_id is not null as is_missed
    from candidate
    left join unnest(${[...unbrought]}::text[]) as lacking (source_id) on lacking.source_id = candidate.source_id
  )`
  const counted = await sql<{ missed: string; brought: string }>`with ${judged}
    select count(*) filter (where is_missed) as missed, count(*) filter (where not is_missed) as brought
    from judged`.execute(db)
  const { missed = '0', brought = '0' } = counted.rows[0] ?? {}
  if (Number(missed) === 0) return { missed: NOTHING_MISSED, brought: Number(brought) }
  const { rows } = await sql<{ key: string; count: string }>`with ${judged}, differing as (
      select member.key collate "C" as key
      from judged
      cross join lateral (
        select '(new)' as key
        where is_new
        union all
        select each.key
        from unnest(${[...reading.compared]}::text[]) as each (key)
        where not is_new
          and found -> each.key is distinct from known -> each.key
      ) as member
      where is_missed
    )
    select key, count(*) as count from differing group by key order by key`.execute(db)
  const fields = Object.fromEntries(rows.map(({ key, count }) => [key, Number(count)]))
  return { missed: { count: Number(missed), fields }, brought: Number(brought) }
}

function candidates({ integrationId, table, incoming, compared }: ComparedReading) {
  const partOf = (doc: string) => sql`(
    select jsonb_object_agg(member.key, member.value)
    from jsonb_each(${sql.ref(doc)}::jsonb) as member
    where member.key = any (${[...compared]}::text[])
  )`
  return sql`select record.source_id, record.changed_at, staged.source_id is null as is_new,
      ${partOf('record.doc')} as found, ${partOf('staged.doc')} as known
    from ${sql.table(incoming)} as record
    left join ${sql.table(table)} as staged
      on staged.integration_id = ${integrationId}
      and staged.source_id = record.source_id
      and staged.valid_to_run is null
    where record.source_id is not null
      and staged.version_hash is distinct from record.version_hash
      and (staged.source_id is null or ${partOf('record.doc')} is distinct from ${partOf('staged.doc')})
      and not exists (
        select
        from ${sql.table(incoming)} as later
        where later.source_id = record.source_id
          and later.ordinal > record.ordinal
      )`
}
