import type { Kysely } from 'kysely'
import {
  countResults,
  countWithheld,
  findRun,
  forgetIdlePasswords,
  type RunRecord,
  requireApplying,
  takeFenceBack,
  updateRun,
} from '../../loaders/ledger/ledger.ts'
import { removePlanFiles } from '../../loaders/packs/plan-page/plan-files.ts'
import { giveUpSealedIds } from '../../loaders/people/forgotten.ts'
import { StaleRunError } from '../../loaders/platform/target.ts'
import type { Tables } from '../../sql/tables.ts'
import { CONTRACT_VERSION } from '../../transforms/plan/plan.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { targetOf } from '../context/connect.ts'
import { packFolder, requireWritableOutput } from '../context/pack-folder.ts'
import { type RunContext, timestamp } from '../context/run-context.ts'
import { targetTypeOf } from '../targets/registry.ts'
import { openWatchedOutbox } from './watched-outbox.ts'

/**
 * Applies the stored plan of a run: sends each planned operation to the platform. An operation is treated as
 * applied when the platform has acknowledged it. The step can be repeated safely after a crash.
 *
 * @returns false if the plan was already applied
 * @throws if it is unknown whether the platform has applied an operation; the next run finishes this run
 *   first
 */
export async function apply(run: RunContext): Promise<boolean> {
  const { integrationId, runId, database, environment } = run
  // The transaction fails if the lock is lost. A process that was suspended then leaves the folder of the run
  // alone, in which another process may have written the pack meanwhile.
  const record = await database.transaction((transaction) => findRun(transaction, { integrationId, runId }))
  if (record?.plan_hash == null)
    throw new Error(
      `run ${runId} of ${integrationId} has no stored plan; make one with \`event-sync plan ${integrationId}\``,
    )
  if (record.status === 'applied') return false
  await requireWritableOutput(run)
  await removePlanFiles(packFolder(run))
  const outbox = openWatchedOutbox(run, record.command)
  run.at('apply begun')
  try {
    const header = { contract: CONTRACT_VERSION, integration: integrationId, run: runId }
    await targetOf(run).apply({ ...header, planHash: record.plan_hash }, outbox)
  } catch (error) {
    // The platform has already accepted changes of a newer run, so this plan can never be finished.
    if (error instanceof StaleRunError) {
      await database.transaction(async (transaction) => {
        await takeFenceBack(transaction, integrationId)
        await updateRun(transaction, integrationId, runId, {
          status: 'failed',
          finished_at: timestamp(environment),
        })
      })
    }
    throw error
  }
  run.at('operations sent')
  await database.transaction(async (transaction) => {
    await requireApplying(transaction, run)
    const results = await countResults(transaction, run)
    const notes = [...(record.counts?.notes ?? []), ...(await noteWithheld(transaction, run, record))]
    await forgetIdlePasswords(transaction, integrationId)
    // A platform may take operations as files. Only the people who deliver a file know when it has arrived,
    // so the ids of forgotten people are kept.
    if (!targetTypeOf(run.integration.platform).writesToPack)
      await giveUpSealedIds(transaction, integrationId)
    await updateRun(transaction, integrationId, runId, {
      status: 'applied',
      applied_at: timestamp(environment),
      has_plan_page: false,
      ...(record.counts === null
        ? {}
        : { counts: { ...record.counts, ...results, ...(notes.length === 0 ? {} : { notes }) } }),
    })
  })
  run.at('plan applied')
  return true
}

/**
 * Adds a note about removals that were withheld because the platform rejected upserts. The note says what
 * makes the removals happen. Removals that a guard withheld are not in this note: the hold of the guard
 * describes them.
 */
async function noteWithheld(
  transaction: Kysely<Tables>,
  run: RunContext,
  { counts }: RunRecord,
): Promise<readonly string[]> {
  if ((counts?.withheld ?? 0) > 0) return []
  const { maxShare } = run.integration.removals
  return (await countWithheld(transaction, run)).map(
    ({ content, withheld, upserts, rejected }) =>
      `${content}: ${counted(withheld, 'removal')} withheld, which no record states, because the platform rejected ${rejected} of ${counted(upserts, 'upsert')}, a larger share than removals.maxShare (${maxShare}); correct what was rejected, which \`event-sync show ${run.runId}\` lists: the next run then removes them`,
  )
}
