import { type Kysely, sql } from 'kysely'
import type { OutputMode } from '../../loaders/files/file-writer.ts'
import { findRenamingsOfManifest, idThen } from '../../loaders/ledger/former-ids.ts'
import {
  findAnswerTimes,
  findCertificates,
  findRequests,
  type RunRecord,
} from '../../loaders/ledger/ledger.ts'
import { FORMULA_GUARD } from '../../loaders/packs/csv-files/csv.ts'
import { PACK_FORMAT } from '../../loaders/packs/csv-files/pack-format.ts'
import { findSameRun, findSuperseded, type PackBefore } from '../../loaders/packs/earlier-packs.ts'
import { writePack } from '../../loaders/packs/pack.ts'
import { findPurgesOfManifest } from '../../loaders/people/purge.ts'
import { operationsOf } from '../../loaders/platform/batches.ts'
import { writeOperations } from '../../loaders/platform/jsonl.ts'
import { findKnownResources } from '../../loaders/staging/incoming.ts'
import { ofRun } from '../../sql/conditions.ts'
import type { Content, Tables } from '../../sql/tables.ts'
import { CONTRACT_VERSION } from '../../transforms/plan/plan.ts'
import type { SignManifest } from '../config/signing.ts'
import { idOpenerOf } from '../context/keys.ts'
import type { Context } from '../context/run-context.ts'
import { pick } from '../runtime/pick.ts'
import { TYPES_IN_PACK } from '../targets/registry.ts'
import { copyVerifier } from './verifier.ts'

/**
 * Writes the operations of a run into a file of the pack, if the platform of the run takes such files. The
 * operations come from the database.
 */
export async function writeOperationsOf(
  context: Context,
  { integration_id: integrationId, run_id: runId, plan_hash: planHash }: RunRecord,
  folder: string,
): Promise<void> {
  const db = context.database.kysely
  const { platform } = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('platform')
    .executeTakeFirstOrThrow()
  if (!TYPES_IN_PACK.has(platform) || planHash === null) return
  const integration = await idThen(db, { integrationId, runId })
  const header = { contract: CONTRACT_VERSION, integration, run: runId, planHash }
  const openId = idOpenerOf(context, integrationId)
  await writeOperations(
    folder,
    header,
    operationsOf(db, { integrationId, runId, openId }),
    context.config.output.mode,
  )
}

/**
 * Writes the audit pack of a run from data in the database and from the operations file in its folder. The
 * bytes are always the same, whatever the database engine is. The program `verify.py` is copied beside the
 * pack.
 *
 * @param onWritten called after each complete file
 * @param before the previous pack; an identical file becomes a hard link to its file there
 * @returns SHA-256 of the manifest, in hexadecimal
 */
export async function writePackOf(
  db: Kysely<Tables>,
  run: RunRecord,
  { folder, mode }: { readonly folder: string; readonly mode: OutputMode },
  sign: SignManifest | null,
  onWritten: (name: string) => void = () => undefined,
  before: PackBefore | null = null,
): Promise<string> {
  const { integration_id: integrationId, run_id: runId } = run
  // After the run, the integration may have got another source or platform.
  const {
    bound: { source, platform },
  } = await db
    .selectFrom('sync.configurations')
    .where(({ and }) => and({ integration_id: integrationId, config_hash: run.config_hash }))
    .select('bound')
    .executeTakeFirstOrThrow()
  const operations = await db
    .selectFrom('sync.changes')
    .$call(ofRun({ integrationId, runId }))
    .where('state', '<>', 'withheld')
    // A handover (an account that passes to another person) has two operations, a removal and a creation.
    .select(sql<string>`count(*) + count(*) filter (where action = 'handover')`.as('count'))
    .executeTakeFirstOrThrow()
  const key = { integrationId, runId }
  const superseded = await findSuperseded(db, key)
  const purges = await findPurgesOfManifest(db, key)
  const renamed = await findRenamingsOfManifest(db, key)
  const integration = await idThen(db, key)
  const manifest = {
    contract: CONTRACT_VERSION,
    format: PACK_FORMAT,
    product: { name: 'event-content-sync', version: run.product_version },
    integration,
    run: runId,
    ...(run.rollback_to === null ? {} : { command: 'rollback', rollbackTo: run.rollback_to }),
    startedAt: run.started_at.toISOString(),
    plannedAt: run.planned_at?.toISOString() ?? null,
    appliedAt: run.applied_at?.toISOString() ?? null,
    finishedAt: run.finished_at?.toISOString() ?? null,
    startedBy: run.started_by,
    approvedBy: run.approved_by,
    approvedAt: run.approved_at?.toISOString() ?? null,
    configHash: run.config_hash,
    planHash: run.plan_hash,
    held: run.held,
    ...(await findAnswerTimes(db, key)),
    personalData: run.personal_data ?? 'full',
    previousManifestSha256: run.previous_manifest_sha256,
    suppressions:
      run.suppressions && pick(run.suppressions, 'file', 'sha256', 'revision', 'ids', 'addresses', 'items'),
    ...(purges.length === 0 ? {} : { purges }),
    ...(renamed.length === 0 ? {} : { renamed }),
    ...(run.gap === null ? {} : { gap: { packs: run.gap } }),
  }
  const details = {
    source: pick(source, 'type', 'url', 'eventId'),
    platform: pick(platform, 'type', 'url', 'eventId'),
    counts: run.counts,
    certificates: await findCertificates(db, key),
    requests: await findRequests(db, key),
    formulaGuard: FORMULA_GUARD,
  }
  await copyVerifier(folder, mode)
  return writePack(db, key, {
    folder,
    mode,
    integration,
    personalData: run.personal_data ?? 'full',
    excel: run.excel ?? false,
    sign,
    superseded,
    // The custom fields as they were configured during the run. The configuration may have changed since.
    custom: run.custom,
    resourceOf: await resourcesOf(db, source.type, run.contents),
    operations: TYPES_IN_PACK.has(platform.type) ? Number(operations.count) : null,
    report: {
      ...manifest,
      ...details,
      productVersion: run.product_version,
      certified: run.certified,
      timeZone: run.time_zone,
      eventName: run.event_name,
      silencedHints: run.silenced_hints,
      rollbackTo: run.rollback_to,
    },
    sameAs: await findSameRun(db, run),
    manifest,
    details,
    onWritten,
    before,
  })
}

async function resourcesOf(db: Kysely<Tables>, source: string, synced: readonly Content[]) {
  const known = (await findKnownResources(db)).filter((one) => one.source === source)
  return new Map(
    synced.flatMap((content) =>
      known.flatMap(({ contents, resource }) =>
        contents.includes(content) ? [[content, resource] as const] : [],
      ),
    ),
  )
}
