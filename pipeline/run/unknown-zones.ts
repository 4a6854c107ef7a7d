import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../sql/tables.ts'
import { zoneKeyOf } from '../../transforms/declare/resource.ts'
import { shownZone } from '../../transforms/rules/zones.ts'
import type { RunContext } from '../context/run-context.ts'
import { recordsOf } from '../sources/contract/rule-result.ts'
import { sourceTypeOf } from '../sources/registry.ts'

/** Maximum number of unknown time zones that a note names. Any further time zones are only counted. */
const MOST_NAMES = 5

/**
 * Adds a note with the number of current records whose time zone is unknown. The note names the most frequent
 * zones.
 */
export async function noteUnknownZones(
  transaction: Kysely<Tables>,
  { integrationId, integration: { source, content } }: Pick<RunContext, 'integrationId' | 'integration'>,
): Promise<readonly string[]> {
  if (!content.includes('agenda')) return []
  const notes: string[] = []
  for (const resource of sourceTypeOf(source).transform.resources) {
    const key = zoneKeyOf(resource)
    if (key === null) continue
    const { rows } = await sql<{ zone: string | null; records: string; total: string }>`
      select left(doc ->> ${key}, 100) collate "C" as zone, count(*) as records, sum(count(*)) over () as total
      from ${sql.table(resource.table)}
      where integration_id = ${integrationId}
        and valid_to_run is null
        and marks && array['unknown_zone:start_time', 'unknown_zone:end_time']
      group by 1
      order by records desc, zone
      limit ${MOST_NAMES}`.execute(transaction)
    const [first] = rows
    if (first === undefined) continue
    const names = rows.map(({ zone, records }) => `${shownZone((zone ?? '').trim())} ${records}`).join(', ')
    const read = source.timeZone === undefined ? 'bad_time' : `read in source.timeZone (${source.timeZone})`
    notes.push(
      `a time zone that is not known in ${recordsOf(Number(first.total), resource.name)} (${names}): ${read}`,
    )
  }
  return notes
}
