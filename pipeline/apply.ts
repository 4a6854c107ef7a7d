import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findRuns, updateRun } from '../loaders/ledger.ts'
import { jsonlTarget } from '../loaders/platform/jsonl.ts'
import { acknowledge, operationsOf } from '../loaders/platform/outbox.ts'
import { CONTRACT_VERSION } from '../transforms/plan.ts'
import { ConfigError, type IntegrationConfig } from './config.ts'
import { type RunContext, timestamp } from './run-context.ts'

/** The platform event that an integration writes to. */
export interface PlatformIdentity {
  readonly type: 'jsonl'
  readonly url: string
  readonly eventId: string
  /** All of it in one text, for the plan hash. */
  readonly identity: string
}

/**
 * Names the platform event of an integration.
 *
 * @throws ConfigError for a platform that this version cannot write to
 */
export function platformOf({ id, platform }: IntegrationConfig): PlatformIdentity {
  if (platform.type === 'jsonl') return { type: 'jsonl', url: '', eventId: '', identity: 'jsonl' }
  throw new ConfigError(
    `${id}: platform.type http is not supported by this version; use jsonl\nnothing was read or written`,
  )
}

/** Folder of a run's pack. Source: design 9 (contract). */
export function packFolder(context: { outputFolder: string; integrationId: string; runId: string }): string {
  return join(context.outputFolder, context.integrationId, context.runId)
}

/** Makes the integration's folder, so that an output folder that cannot be written fails before anything is applied. */
export async function requireWritableOutput({ outputFolder, integrationId }: RunContext): Promise<void> {
  const folder = join(outputFolder, integrationId)
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw new Error(`the output folder ${folder} cannot be written${code}; mend the folder`, { cause })
  }
}

/**
 * Applies the stored plan of a run: every planned operation goes to the platform, and counts as applied when the
 * platform has acknowledged it. Safe to do again after a crash.
 */
export async function apply(run: RunContext): Promise<void> {
  const { integrationId, runId, database, environment } = run
  const [record] = await findRuns(database.kysely, { integrationId, runId })
  if (record?.plan_hash == null) throw new Error(`run ${runId} of ${integrationId} has no stored plan`)
  if (record.status === 'applied') return
  const header = {
    contract: CONTRACT_VERSION,
    integration: integrationId,
    run: runId,
    planHash: record.plan_hash,
  }
  await requireWritableOutput(run)
  const target = jsonlTarget(packFolder(run))
  await target.apply(header, operationsOf(database.kysely, integrationId, runId))
  await database.transaction(async (transaction) => {
    await acknowledge(transaction, integrationId, runId)
    await updateRun(transaction, integrationId, runId, {
      status: 'applied',
      applied_at: timestamp(environment),
    })
  })
}
