import type { Kysely } from 'kysely'
import { z } from 'zod'
import { FORMULA_GUARD } from '../loaders/audit/csv.ts'
import { writePack } from '../loaders/audit/pack.ts'
import { findSuperseded, type SupersededManifest } from '../loaders/audit/superseded.ts'
import { findCertificates, findRequests, type RunRecord } from '../loaders/ledger.ts'
import { findToldPurges } from '../loaders/purge.ts'
import type { Tables } from '../sql/tables.ts'
import { CONTRACT_VERSION } from '../transforms/plan.ts'
import type { SignManifest } from './config/signing.ts'
import type { IntegrationConfig } from './config.ts'
import { resourcesOf } from './extract/registry.ts'
import { TYPES_IN_PACK } from './platform/registry.ts'

/**
 * Writes the audit pack of a run from the ledger alone: the same bytes whenever, wherever and on whichever engine.
 *
 * @param onWritten told of each file that is there, for good
 * @returns SHA-256 of the manifest, in hex
 */
export async function writePackOf(
  db: Kysely<Tables>,
  { integration_id: integrationId, run_id: runId, ...run }: RunRecord,
  folder: string,
  sign: SignManifest | null,
  onWritten: (name: string) => void = () => undefined,
): Promise<string> {
  const bound = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .selectAll()
    .executeTakeFirstOrThrow()
  const operations = await db
    .selectFrom('sync.changes')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .where('state', '<>', 'withheld')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  const key = { integrationId, runId }
  const superseded = await findSuperseded(db, key)
  const purges = await findToldPurges(db, key)
  const sourceType = bound.source as IntegrationConfig['source']['type']
  const manifest = {
    contract: CONTRACT_VERSION,
    product: { name: 'event-content-sync', version: run.product_version },
    integration: integrationId,
    run: runId,
    startedAt: run.started_at.toISOString(),
    plannedAt: run.planned_at?.toISOString() ?? null,
    appliedAt: run.applied_at?.toISOString() ?? null,
    finishedAt: run.finished_at?.toISOString() ?? null,
    startedBy: run.started_by,
    approvedBy: run.approved_by,
    approvedAt: run.approved_at?.toISOString() ?? null,
    configHash: run.config_hash,
    ...(boundThen(superseded) ?? {
      source: { type: bound.source, url: bound.source_url, eventId: bound.source_event_id },
      platform: { type: bound.platform, url: bound.platform_url, eventId: bound.platform_event_id },
    }),
    planHash: run.plan_hash,
    held: run.held,
    counts: run.counts,
    certificates: await findCertificates(db, key),
    requests: await findRequests(db, key),
    personalData: run.personal_data ?? 'full',
    formulaGuard: FORMULA_GUARD,
    previousManifestSha256: run.previous_manifest_sha256,
    ...(purges.length === 0 ? {} : { purges }),
  }
  return writePack(db, key, {
    folder,
    personalData: run.personal_data ?? 'full',
    excel: run.excel ?? false,
    sign,
    superseded,
    // What the run synced, which the configuration may have changed since.
    resourceOf: new Map([...resourcesOf(sourceType)].filter(([content]) => run.contents.includes(content))),
    operations: TYPES_IN_PACK.has(bound.platform) ? Number(operations.count) : null,
    report: {
      ...manifest,
      productVersion: run.product_version,
      certified: run.certified,
      timeZone: run.time_zone,
    },
    manifest,
    onWritten,
  })
}

const bindingSchema = z.object({
  source: z.object({ type: z.string(), url: z.string(), eventId: z.string() }),
  platform: z.object({ type: z.string(), url: z.string(), eventId: z.string() }),
})

/** Where a run read from and wrote to, by the manifest of then: the integration may be bound otherwise by now. */
function boundThen(superseded: readonly SupersededManifest[]): z.output<typeof bindingSchema> | null {
  const text = superseded.findLast(({ manifest }) => manifest !== null)?.manifest
  return text == null ? null : bindingSchema.parse(JSON.parse(text))
}
