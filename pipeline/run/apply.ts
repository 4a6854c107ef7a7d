import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { giveUpSealedIds } from '../../loaders/forgetting/platform.ts'
import {
  countOutcomes,
  findRuns,
  forgetIdlePasswords,
  requireApplying,
  takeFenceBack,
  updateRun,
} from '../../loaders/ledger/ledger.ts'
import { StaleRunError } from '../../loaders/platform/target.ts'
import { CONTRACT_VERSION } from '../../transforms/plan/plan.ts'
import { type RunContext, timestamp } from '../context/run-context.ts'
import { targetOf, targetTypeOf } from '../platform/connect.ts'
import { openWatchedOutbox } from '../platform/watched-outbox.ts'
import { describeCode, whyNotWritable } from '../runtime/not-writable.ts'

/** Makes the integration's folder, so that an output folder that cannot be written fails before anything is applied. */
export async function requireWritableOutput({ outputFolder, integrationId }: RunContext): Promise<void> {
  const folder = join(outputFolder, integrationId)
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (cause) {
    const code = whyNotWritable(folder)
    const why = code === null ? describeCode(cause) : ` (${code})`
    throw new Error(`the output folder ${folder} cannot be written${why}; fix the folder`, { cause })
  }
}

/**
 * Applies the stored plan of a run: every planned operation goes to the platform, and counts as applied when the
 * platform has acknowledged it. Safe to do again after a crash.
 *
 * @throws where it is not known what became of an operation; the next run finishes this one first
 */
export async function apply(run: RunContext): Promise<void> {
  const { integrationId, runId, database, environment } = run
  const [record] = await findRuns(database.kysely, { integrationId, runId })
  if (record?.plan_hash == null) throw new Error(`run ${runId} of ${integrationId} has no stored plan`)
  if (record.status === 'applied') return
  await requireWritableOutput(run)
  const outbox = openWatchedOutbox(run)
  run.at('apply begun')
  try {
    const header = { contract: CONTRACT_VERSION, integration: integrationId, run: runId }
    await targetOf(run).apply({ ...header, planHash: record.plan_hash }, outbox)
  } catch (error) {
    // Its plan cannot be finished any more: the platform has gone on without it.
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
    const outcomes = await countOutcomes(transaction, run)
    await forgetIdlePasswords(transaction, integrationId)
    // What a file says is known to have reached the platform only from the people who take it there.
    if (!targetTypeOf(run.integration.platform).writesToPack)
      await giveUpSealedIds(transaction, integrationId)
    await updateRun(transaction, integrationId, runId, {
      status: 'applied',
      applied_at: timestamp(environment),
      ...(record.counts === null ? {} : { counts: { ...record.counts, ...outcomes } }),
    })
  })
  run.at('plan applied')
}
