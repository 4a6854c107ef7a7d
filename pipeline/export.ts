import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MANIFEST_FILE } from '../loaders/audit/pack-files.ts'
import { findStandingManifest } from '../loaders/audit/standing-manifest.ts'
import { EXPORT_SUFFIX } from '../loaders/audit/verify/found-manifest.ts'
import { makeFolder, moveWhole } from '../loaders/file-writer.ts'
import type { RunRecord } from '../loaders/ledger.ts'
import { writeOperations } from '../loaders/platform/jsonl.ts'
import { operationsOf } from '../loaders/platform/outgoing.ts'
import { CONTRACT_VERSION } from '../transforms/plan.ts'
import { resolveSigner } from './config/signing.ts'
import { ConfigError } from './config.ts'
import { idOpenerOf } from './forgetting/keys.ts'
import { writePackOf } from './pack.ts'
import { packFolder } from './pack-folder.ts'
import { productVersion } from './package-root.ts'
import { TYPES_IN_PACK } from './platform/registry.ts'
import type { Context } from './run-context.ts'

/**
 * Writes the pack of a run again, from the ledger, beside its place, and puts it there if it is the pack of then.
 *
 * @returns the folder of the pack
 * @throws ConfigError for a run without a pack; an Error where its bytes are not those of then, as with another
 *   version of the product: the pack that is there stays as it is
 */
export async function exportRun(context: Context, record: RunRecord): Promise<string> {
  const { integration_id: integrationId, run_id: runId, plan_hash: planHash } = record
  if (record.manifest_sha256 === null || planHash === null) {
    throw new ConfigError(
      `run ${runId} of ${integrationId} has no pack: its plan has not landed (${record.status}); \`event-sync run ${integrationId}\` goes on`,
    )
  }
  if (record.purged_at !== null) {
    throw new ConfigError(
      `run ${runId} of ${integrationId} was purged at ${record.purged_at.toISOString()}: its pack cannot be written again`,
    )
  }
  if (record.reissue_due) {
    throw new ConfigError(
      `the pack of run ${runId} is to be written again without somebody who was forgotten; the \`event-sync forget\` that began it goes on with that`,
    )
  }
  const folder = packFolder({ outputFolder: context.outputFolder, integrationId, runId })
  const beside = `${folder}${EXPORT_SUFFIX}`
  await rm(beside, { recursive: true, force: true })
  const sha256 = await writeBeside(context, record, planHash, beside).catch(async (error: unknown) => {
    // It may be the disk that is full.
    await rm(beside, { recursive: true, force: true })
    throw error
  })
  if (sha256 !== record.manifest_sha256) {
    const then = record.finished_at?.toISOString() ?? 'then'
    const why =
      record.product_version === productVersion
        ? 'its manifest has another SHA-256'
        : `the run is of event-content-sync ${record.product_version}, this is ${productVersion}, which writes other packs; that version writes it again`
    throw new Error(
      `the pack of run ${runId} as it is written today is not that of ${then}, which stays as it is: ${why}; compare the two: ${beside}`,
    )
  }
  await putInPlace(context, integrationId, beside, folder, sha256)
  return folder
}

/**
 * Writes the pack of a run, from the ledger, into a folder beside its place.
 *
 * @returns SHA-256 of the manifest, in hex
 */
export async function writeBeside(
  context: Context,
  record: RunRecord,
  planHash: string,
  beside: string,
): Promise<string> {
  const { integration_id: integrationId, run_id: runId } = record
  const db = context.database.kysely
  const bound = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('platform')
    .executeTakeFirstOrThrow()
  if (TYPES_IN_PACK.has(bound.platform)) {
    const header = { contract: CONTRACT_VERSION, integration: integrationId, run: runId, planHash }
    const openId = idOpenerOf(context, integrationId)
    await writeOperations(beside, header, operationsOf(db, { integrationId, runId, openId }))
  }
  return writePackOf(db, record, beside, resolveSigner(context.config, context.secrets), () =>
    context.progress.at(integrationId, 'pack file written'),
  )
}

/** Moves a pack into its place, the manifest last: whenever this ends, no manifest stands beside files of another pack. */
export async function putInPlace(
  { progress }: Context,
  integrationId: string,
  beside: string,
  folder: string,
  manifestSha256: string,
): Promise<void> {
  await makeFolder(folder)
  const standing = await findStandingManifest(folder)
  await standing.makeWay(MANIFEST_FILE, manifestSha256)
  const others = (await readdir(beside)).filter((name) => name !== MANIFEST_FILE).sort()
  for (const name of [...others, MANIFEST_FILE]) {
    await moveWhole(join(beside, name), join(folder, name))
    progress.at(integrationId, 'pack file moved')
  }
  await rm(beside, { recursive: true })
}
