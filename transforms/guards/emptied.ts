import { sql } from 'kysely'
import { notExists } from '../../sql/conditions.ts'
import type { Content, Db } from '../../sql/tables.ts'
import { currentAsOf } from '../history/as-of.ts'
import { asAny, type StagingTables } from '../resources/staging-tables.ts'
import { counted, type GuardFinding } from './guard-finding.ts'

export interface GuardedResource {
  readonly name: string
  readonly table: keyof StagingTables
  readonly contents: readonly Content[]
}

/**
 * Holds a plan where a resource that had records has none any more, as a source that answers 200 with nothing would have it.
 *
 * @param appliedRunId the run behind what the platform has
 */
export async function findEmptied(
  db: Db,
  integrationId: string,
  appliedRunId: string,
  resources: readonly GuardedResource[],
): Promise<GuardFinding | null> {
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
      .where(({ selectFrom }) =>
        notExists(
          selectFrom('sync.forgotten as gone')
            .whereRef('gone.integration_id', '=', 'staged.integration_id')
            .whereRef('gone.token', '=', 'staged.source_id')
            .select('gone.token'),
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
    detail: seen.join(', '),
    todo: 'Check at the source whether they are there, and check its address, event id and permissions: a source that refuses quietly, or was asked for another event, looks like that.',
    // An empty lookup takes fields away from items that stay.
    onlyRemovals: emptied.every(({ resource }) => resource.contents.length > 0),
  }
}
