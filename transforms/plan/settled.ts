import { sql } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Db, RunKey } from '../../sql/tables.ts'

/**
 * Finds the previous run if nothing has changed after it. At the end of the previous run, the platform must
 * have had the desired items and no others, and no desired or known item may have changed after it. If nothing
 * has changed, the desired items still equal the known items and need not be compared.
 *
 * The platform's revision (`base`) is incremented whenever the known items change or items are rewritten in
 * place.
 *
 * @returns null if no such run exists. The result is also null if this run checks earlier readings by
 *   changes, because such a run compares everything
 */
export async function findSettledRun(db: Db, run: RunKey): Promise<string | null> {
  const { integrationId, runId } = run
  const before = await db
    .selectFrom('sync.runs as before')
    .innerJoin('sync.integrations as integration', 'integration.integration_id', 'before.integration_id')
    .innerJoin('sync.runs as run', 'run.integration_id', 'before.integration_id')
    .where('before.integration_id', '=', integrationId)
    .where('before.run_id', '<', runId)
    .where('before.planned_at', 'is not', null)
    .where('run.run_id', '=', runId)
    .orderBy('before.run_id', 'desc')
    .limit(1)
    .select(['before.run_id', 'before.status'])
    .select(
      sql<boolean>`before.settled_base = integration.base and before.contents = run.contents`.as(
        'is_of_same',
      ),
    )
    .executeTakeFirst()
  // A failed run may have found a failing check, or a sum that differs from its required value. This run must
  // examine the checks and sums of the failed run again.
  if (before?.status !== 'finished' || before.is_of_same !== true) return null
  const { isTouched } = await db
    .selectNoFrom(({ exists, or, selectFrom }) => [
      or(
        // The two conditions are separate so that PostgreSQL can use an index for each column.
        (['valid_from_run', 'valid_to_run'] as const).map((end) =>
          exists(
            selectFrom('sync.desired_items')
              .where('integration_id', '=', integrationId)
              .where(end, '>', before.run_id)
              .select('content'),
          ),
        ),
      ).as('isTouched'),
    ])
    .executeTakeFirstOrThrow()
  return isTouched || (await judgesReadings(db, run)) ? null : before.run_id
}

/**
 * Returns true if a run was a full reading of a source that is usually read by changes. A full reading of a
 * source that is usually read by changes also checks the earlier readings by changes.
 */
export async function judgesReadings(db: Db, run: RunKey): Promise<boolean> {
  const { isJudge } = await db
    .selectNoFrom(({ exists, selectFrom }) => [
      exists(
        selectFrom('sync.certificates')
          .$call(ofRun(run))
          .where('since', 'is', null)
          .where('missed', 'is not', null)
          .select('resource'),
      ).as('isJudge'),
    ])
    .executeTakeFirstOrThrow()
  return isJudge === true
}
