import { sql } from 'kysely'
import { notExists, ofRun } from '../../sql/conditions.ts'
import type { Db, RunKey } from '../../sql/tables.ts'
import { currentAsOf } from '../history/as-of.ts'
import { asAny, type StagingTables } from '../resources/staging-tables.ts'
import { checkOf } from './control-total.ts'

/** The records of a resource, as the database holds them after a run. */
export interface Records {
  readonly staged: bigint
  /** Kept although the run did not see them, since the read was not proved complete. */
  readonly unseen: bigint
  readonly repeated: bigint
  readonly quarantined: bigint
  /** Sum over those that the run saw, staged or not. */
  readonly stagedCheck: bigint
  /** Null where a version before 0.2 read some of them, which kept no such numbers. */
  readonly rejectedCheck: bigint | null
}

/** Records of a resource that are staged and were seen in the run. */
export async function stagedOf(
  db: Db,
  { integrationId, runId }: RunKey,
  resource: string,
  table: keyof StagingTables,
) {
  const unseen = await db
    .selectFrom('sync.unseen')
    .$call(ofRun({ integrationId, runId }))
    .where('resource', '=', resource)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  const found = await db
    .selectFrom(`${asAny(table)} as staged`)
    .where('staged.integration_id', '=', integrationId)
    .where(currentAsOf('staged', runId))
    .where(({ selectFrom }) =>
      notExists(
        selectFrom('sync.unseen as unseen')
          .where('unseen.integration_id', '=', integrationId)
          .where('unseen.run_id', '=', runId)
          .where('unseen.resource', '=', resource)
          .whereRef('unseen.source_id', '=', 'staged.source_id')
          .select('unseen.source_id'),
      ),
    )
    .select((eb) => [eb.fn.countAll<string>().as('count'), checkOf(sql`staged.version_hash`).as('checks')])
    .executeTakeFirstOrThrow()
  return { staged: BigInt(found.count), stagedCheck: BigInt(found.checks), unseen: BigInt(unseen.count) }
}

/** Current records of a resource that a reading of changes brought, and those that it did not. */
export async function seenOf(
  db: Db,
  integrationId: string,
  table: keyof StagingTables,
  incoming: string,
): Promise<{ readonly seen: number; readonly unseen: number; readonly checksum: string }> {
  const isSeen = sql<boolean>`exists (
    select from ${sql.table(incoming)} as record where record.source_id = staged.source_id
  )`
  const found = await db
    .selectFrom((eb) =>
      eb
        .selectFrom(`${asAny(table)} as staged`)
        .where('staged.integration_id', '=', integrationId)
        .where('staged.valid_to_run', 'is', null)
        .select(['staged.version_hash', isSeen.as('is_seen')])
        .as('staged'),
    )
    .select((eb) => [
      eb.fn.countAll<string>().filterWhere('is_seen', '=', true).as('seen'),
      eb.fn.countAll<string>().filterWhere('is_seen', '=', false).as('unseen'),
      sql<string>`${checkOf(sql`case when is_seen then staged.version_hash end`)}::text`.as('checksum'),
    ])
    .executeTakeFirstOrThrow()
  return { seen: Number(found.seen), unseen: Number(found.unseen), checksum: found.checksum }
}

/** Records of a resource that have no row in staging. */
export async function rejectedOf(db: Db, run: RunKey, resource: string) {
  const rows = await db
    .selectFrom('sync.unstaged')
    .$call(ofRun(run))
    .where('resource', '=', resource)
    .groupBy('reason')
    .select((eb) => [
      'reason',
      eb.fn.countAll<string>().as('count'),
      eb.fn.count<string>('row_check').as('checked'),
      eb.fn.coalesce(eb.fn.sum<string>('row_check'), eb.lit(0)).as('checks'),
    ])
    .execute()
  const of = (reason: string) => BigInt(rows.find((row) => row.reason === reason)?.count ?? 0)
  const isChecked = rows.every(({ count, checked }) => count === checked)
  const rejectedCheck = isChecked ? rows.reduce((sum, { checks }) => sum + BigInt(checks), 0n) : null
  return { repeated: of('duplicate_id'), quarantined: of('invalid_record'), rejectedCheck }
}
