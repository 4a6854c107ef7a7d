import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MANIFEST_FILE } from '../../loaders/audit/csv-files/pack-files.ts'
import { findExistingManifest } from '../../loaders/audit/existing-manifest.ts'
import { makeFolder, moveWhole } from '../../loaders/files/file-writer.ts'
import type { RunRecord } from '../../loaders/ledger/ledger.ts'
import { exportFolder } from '../../loaders/verify/found-manifest.ts'
import { resolveSigner } from '../config/signing.ts'
import type { Context } from '../context/run-context.ts'
import { pointsOf } from '../runtime/events.ts'
import { productVersion } from '../runtime/package-root.ts'
import { UserError } from '../settings/errors.ts'
import { writeOperationsOf, writePackOf } from './pack.ts'
import { packFolder } from './pack-folder.ts'

/**
 * Writes the pack of a run again, from the ledger, beside its place, and puts it there if it is the pack of then.
 *
 * @returns the folder of the pack
 * @throws UserError for a run without a pack; an Error where its bytes are not those of then, as with another
 *   version of the product: the pack that is there stays as it is
 */
export async function exportRun(context: Context, record: RunRecord): Promise<string> {
  const { integration_id: integrationId, run_id: runId, plan_hash: planHash, status } = record
  if (record.manifest_sha256 === null || planHash === null) {
    // A held plan waits for somebody: a run would make another one.
    const command =
      status === 'held' || status === 'planned'
        ? `event-sync apply ${integrationId} ${planHash}`
        : `event-sync run ${integrationId}`
    throw new UserError(
      'state',
      `run ${runId} of ${integrationId} has no pack: its plan has not landed (${status})`,
      `\`${command}\` goes on`,
    )
  }
  if (record.purged_at !== null) {
    throw new UserError(
      'state',
      `run ${runId} of ${integrationId} was purged at ${record.purged_at.toISOString()}: its pack cannot be written again`,
    )
  }
  if (record.reissue_due) {
    throw new UserError(
      'state',
      `the pack of run ${runId} must be rewritten first, without a person who was forgotten`,
      'repeat the `event-sync forget` that began it',
    )
  }
  const folder = packFolder({ ...context, integrationId, runId })
  const beside = exportFolder(folder)
  const discard = () => rm(beside, { recursive: true, force: true })
  await discard()
  const sha256 = await writeBeside(context, record, planHash, beside).catch(async (error: unknown) => {
    await discard() // the disk may be full
    throw error
  })
  if (sha256 !== record.manifest_sha256) {
    const then = record.finished_at?.toISOString() ?? 'then'
    const why =
      record.product_version === productVersion
        ? 'its manifest has another SHA-256'
        : `the run is of event-content-sync ${record.product_version}, this is ${productVersion}, which writes other packs; that version writes it again`
    throw new Error(
      `written again, the pack of run ${runId} differs from that of ${then}, which was not changed: ${why}; the new one is in ${beside}`,
    )
  }
  await putInPlace(context, integrationId, beside, folder, sha256)
  return folder
}

/** Writes the pack of a run, from the ledger, into a folder beside its place. @returns SHA-256 of the manifest, in hex */
export async function writeBeside(context: Context, record: RunRecord, planHash: string, beside: string) {
  await writeOperationsOf(context, { ...record, plan_hash: planHash }, beside)
  const signer = resolveSigner(context.config, context.secrets)
  return writePackOf(context.database.kysely, record, beside, signer, () =>
    pointsOf(context.events, record.integration_id)('pack file written'),
  )
}

/** Moves a pack into its place, the manifest last: whenever this ends, no manifest is beside files of another pack. */
export async function putInPlace(
  { events }: Context,
  integrationId: string,
  beside: string,
  folder: string,
  manifestSha256: string,
): Promise<void> {
  await makeFolder(folder)
  const existing = await findExistingManifest(folder)
  await existing.dropIfContradicted(MANIFEST_FILE, manifestSha256)
  const others = (await readdir(beside)).filter((name) => name !== MANIFEST_FILE).sort()
  for (const name of [...others, MANIFEST_FILE]) {
    await moveWhole(join(beside, name), join(folder, name))
    pointsOf(events, integrationId)('pack file moved')
  }
  await rm(beside, { recursive: true })
}
