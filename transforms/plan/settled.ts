import { sql } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import { changesIn, type Db, type RunKey } from '../../sql/tables.ts'

/**
 * The id of the run before, if that finished, planned and kept nothing, and neither desired items nor what is known of the
 * platform have been touched since: the two are equal still, and need not be compared.
 *
 * Whatever touches what is known of the platform, or rewrites items in place, counts up the platform's revision (`base`).
 *
 * @returns null if that is not so, and for a full reading that judges the readings of changes before it: it looks at all
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
    .select(['before.run_id', 'before.status', 'before.counts'])
    .select(sql<boolean>`before.base = integration.base and before.contents = run.contents`.as('is_of_same'))
    .executeTakeFirst()
  // One that failed may have found a check or a sum broken: that is looked for again.
  if (before?.status !== 'finished' || before.counts === null) return null
  if (!before.is_of_same || before.counts.kept !== 0) return null
  const planned = Object.values(before.counts.changes)
  if (planned.some((counts) => changesIn(counts) > 0)) return null
  const { isTouched } = await db
    .selectNoFrom(({ exists, or, selectFrom }) => [
      or(
        // Each end by its own index.
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

/** Returns whether a run, of a source that is read by changes, read all: what readings of changes made before it is checked too then. */
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
