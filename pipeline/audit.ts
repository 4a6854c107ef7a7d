import type { Kysely } from 'kysely'
import { writePack } from '../loaders/audit/pack.ts'
import { findCertificates, findRequests, findRuns, type RunRecord, updateRun } from '../loaders/ledger.ts'
import type { Tables } from '../sql/tables.ts'
import { CONTRACT_VERSION } from '../transforms/plan.ts'
import { productVersion } from './package-root.ts'
import { packFolder, platformOf } from './platform.ts'
import { type RunContext, timestamp } from './run-context.ts'

/** What the manifest says of cells that a spreadsheet could run. Source: design 9. */
const FORMULA_GUARD =
  "a cell whose text begins with = + - @, tab, CR, LF, their full-width forms or ' has one ' in front; take it away to restore the value"

/** Writes the audit pack of a run whose plan was applied, and ends the run. */
export async function audit(context: RunContext): Promise<void> {
  const { database, integration, integrationId, runId, connected } = context
  const db = database.kysely
  const { run, finishedAt } = await database.transaction((transaction) => fixEnd(transaction, context))
  const platform = platformOf(integration)
  const operations = await db
    .selectFrom('sync.changes')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .where('state', '<>', 'withheld')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  const manifestSha256 = await writePack(db, context, {
    folder: packFolder(context),
    // What the run synced, which the configuration may have changed since.
    resourceOf: new Map([...connected.resourceOf].filter(([content]) => run.contents.includes(content))),
    operations: platform.type === 'jsonl' ? Number(operations.count) : null,
    manifest: {
      contract: CONTRACT_VERSION,
      product: { name: 'event-content-sync', version: productVersion },
      integration: integrationId,
      run: runId,
      startedAt: run.started_at.toISOString(),
      plannedAt: run.planned_at?.toISOString() ?? null,
      appliedAt: run.applied_at?.toISOString() ?? null,
      finishedAt,
      startedBy: run.started_by,
      approvedBy: run.approved_by,
      approvedAt: run.approved_at?.toISOString() ?? null,
      configHash: run.config_hash,
      source: {
        type: integration.source.type,
        url: integration.source.url,
        eventId: integration.source.eventId,
      },
      platform: { type: platform.type, url: platform.url, eventId: platform.eventId },
      planHash: run.plan_hash,
      held: run.held,
      counts: run.counts,
      certificates: await findCertificates(db, context),
      requests: await findRequests(db, context),
      formulaGuard: FORMULA_GUARD,
      previousManifestSha256: await previousManifest(context),
    },
  })
  context.progress.at(integrationId, 'pack written')
  await database.transaction((transaction) =>
    updateRun(transaction, integrationId, runId, {
      status: 'finished',
      error: null,
      manifest_sha256: manifestSha256,
    }),
  )
  context.progress.at(integrationId, 'run finished')
}

/**
 * Fixes the moment that the pack gives for the end of the run: whoever writes the pack again, as after a crash or
 * beside a process that has lost its lock, writes the same bytes.
 */
async function fixEnd(
  transaction: Kysely<Tables>,
  { integrationId, runId, environment }: RunContext,
): Promise<{ readonly run: RunRecord; readonly finishedAt: string }> {
  const [run] = await findRuns(transaction, { integrationId, runId })
  if (run === undefined) throw new Error(`run ${runId} of ${integrationId} is not in the ledger`)
  const finishedAt = run.finished_at?.toISOString() ?? timestamp(environment)
  if (run.finished_at === null)
    await updateRun(transaction, integrationId, runId, { finished_at: finishedAt })
  return { run, finishedAt }
}

/** The pack before this one, so that the packs of an integration form a chain. */
async function previousManifest({ database, integrationId, runId }: RunContext): Promise<string | null> {
  const row = await database.kysely
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', '<', runId)
    .where('manifest_sha256', 'is not', null)
    .orderBy('run_id', 'desc')
    .limit(1)
    .select('manifest_sha256')
    .executeTakeFirst()
  return row?.manifest_sha256 ?? null
}
