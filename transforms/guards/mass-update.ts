import { type Kysely, sql } from 'kysely'
import type { Content, RunKey, Tables } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../platform-fields.ts'
import { counted, type Trip } from './trip.ts'

const LEAST_UPDATES = 20

/**
 * Trips where much of a content would change in one and the same field, as a wrong time zone moves every session.
 *
 * @param live items of each content on the platform before this run
 * @param maxShare largest share of them that may, 0 to 1
 * Source: design 11, "massUpdate".
 */
export async function massUpdateTrip(
  db: Kysely<Tables>,
  { integrationId, runId }: RunKey,
  live: ReadonlyMap<Content, number>,
  maxShare: number,
): Promise<Trip | null> {
  const seen: string[] = []
  for (const [content, items] of live) {
    const fields = PLATFORM_FIELDS[content]
    const changed = fields.map((field) => {
      const [before, after] = [sql`before -> ${sql.lit(field)}`, sql`after -> ${sql.lit(field)}`]
      return sql`(count(*) filter (where ${before} is distinct from ${after}))::text`
    })
    const { counts } = await db
      .selectFrom('sync.changes')
      .where('integration_id', '=', integrationId)
      .where('run_id', '=', runId)
      .where('content', '=', content)
      .where('action', '=', 'update')
      .select(sql<readonly string[]>`array[${sql.join(changed)}]`.as('counts'))
      .executeTakeFirstOrThrow()
    for (const [index, field] of fields.entries()) {
      const count = Number(counts[index])
      if (count < LEAST_UPDATES || count / items <= maxShare) continue
      seen.push(`${field} of ${content} would change in ${count} of ${counted(items, 'live item')}`)
    }
  }
  if (seen.length === 0) return null
  return {
    guard: 'massUpdate',
    detail: `${seen.join(', ')}, guards.massUpdate lets ${maxShare} of them pass; nobody edits that many by hand, but a wrong time zone or a field that the source fills in another way looks like that: check source.timeZone, and compare a few items with the source`,
    onlyRemovals: false,
  }
}
