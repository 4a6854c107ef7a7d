import { type Kysely, sql } from 'kysely'
import { asAny } from '../../sql/staging-tables.ts'
import type { Content, StagingTables, Tables } from '../../sql/tables.ts'
import { currentAsOf } from '../as-of.ts'
import { counted, type Trip } from './trip.ts'

/** A resource as far as guards look at it. */
export interface GuardedResource {
  readonly name: string
  readonly table: keyof StagingTables
  /** Contents whose records these are; a lookup has none. */
  readonly contents: readonly Content[]
}

/**
 * Trips where a resource that had records has none any more, as a source that answers 200 with nothing would have it.
 *
 * @param appliedRunId the run behind what the platform has
 * Source: design 11, "emptied".
 */
export async function emptiedTrip(
  db: Kysely<Tables>,
  integrationId: string,
  appliedRunId: string,
  resources: readonly GuardedResource[],
): Promise<Trip | null> {
  const emptied: { readonly resource: GuardedResource; readonly former: number }[] = []
  for (const resource of resources) {
    const versions = () =>
      db.selectFrom(`${asAny(resource.table)} as staged`).where('staged.integration_id', '=', integrationId)
    const current = await versions()
      .where('staged.valid_to_run', 'is', null)
      .select('staged.source_id')
      .limit(1)
      .executeTakeFirst()
    if (current !== undefined) continue
    const { count } = await versions()
      .where(currentAsOf('staged', appliedRunId))
      // They are gone because somebody asked for it.
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('sync.forgotten as gone')
              .whereRef('gone.integration_id', '=', 'staged.integration_id')
              .whereRef('gone.token', '=', 'staged.source_id')
              .select('gone.token'),
          ),
        ),
      )
      .select(sql<string>`count(*)`.as('count'))
      .executeTakeFirstOrThrow()
    if (Number(count) > 0) emptied.push({ resource, former: Number(count) })
  }
  if (emptied.length === 0) return null
  const seen = emptied.map(
    ({ resource, former }) => `${resource.name} had ${counted(former, 'record')} and has none now`,
  )
  return {
    guard: 'emptied',
    detail: `${seen.join(', ')}; an event rarely loses all of them, but a source that refuses quietly or was asked for another event looks like that: see at the source whether they are there, and check its address, event id and permissions`,
    // An empty lookup takes fields away from items that stay.
    onlyRemovals: emptied.every(({ resource }) => resource.contents.length > 0),
  }
}
