import { type Kysely, sql } from 'kysely'
import { asAny } from '../../sql/staging-tables.ts'
import type { RunKey, StagingTables, Tables } from '../../sql/tables.ts'
import { currentAsOf } from '../as-of.ts'
import { checkOf } from './control-total.ts'

/** The records of a resource, as the database holds them after a run. */
export interface Records {
  /** Seen in the run. */
  readonly staged: bigint
  /** Kept although the run did not see them, since the read was not proved complete. */
  readonly unseen: bigint
  readonly repeated: bigint
  readonly quarantined: bigint
  /** Sum over those that the run saw, staged or not. */
  readonly stagedCheck: bigint
  /** Null where a version before 0.2 read some of them, which kept no such numbers. */
  readonly asideCheck: bigint | null
}

/** Records of a resource that are staged and were seen in the run. */
export async function stagedOf(
  db: Kysely<Tables>,
  { integrationId, runId }: RunKey,
  resource: string,
  table: keyof StagingTables,
) {
  const unseen = await db
    .selectFrom('sync.unseen')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .where('resource', '=', resource)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  const found = await db
    .selectFrom(`${asAny(table)} as staged`)
    .where('staged.integration_id', '=', integrationId)
    .where(currentAsOf('staged', runId))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('sync.unseen as unseen')
            .where('unseen.integration_id', '=', integrationId)
            .where('unseen.run_id', '=', runId)
            .where('unseen.resource', '=', resource)
            .whereRef('unseen.source_id', '=', 'staged.source_id')
            .select('unseen.source_id'),
        ),
      ),
    )
    .select((eb) => [eb.fn.countAll<string>().as('count'), checkOf(sql`staged.version_hash`).as('checks')])
    .executeTakeFirstOrThrow()
  return { staged: BigInt(found.count), stagedCheck: BigInt(found.checks), unseen: BigInt(unseen.count) }
}

/** Records of a resource that have no row in staging. */
export async function asideOf(db: Kysely<Tables>, { integrationId, runId }: RunKey, resource: string) {
  const rows = await db
    .selectFrom('sync.unstaged')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
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
  const asideCheck = isChecked ? rows.reduce((sum, { checks }) => sum + BigInt(checks), 0n) : null
  return { repeated: of('duplicate_id'), quarantined: of('invalid_record'), asideCheck }
}
