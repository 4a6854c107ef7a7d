import { hash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, moveWhole } from '../../loaders/files/file-writer.ts'
import { readIfThere } from '../../loaders/files/read.ts'
import { findRun, findRuns, type RunRecord, updateRun } from '../../loaders/ledger/ledger.ts'
import { findWaitingPlan } from '../../loaders/ledger/stored-plan.ts'
import {
  DETAILS_FILE,
  MANIFEST_FILE,
  PURGED_FILE,
  parseManifest,
  SIGNATURE_FILE,
} from '../../loaders/packs/csv-files/pack-format.ts'
import { findSuperseded, keepSuperseded, SUPERSEDED_FILE } from '../../loaders/packs/earlier-packs.ts'
import { findExistingManifest } from '../../loaders/packs/pack.ts'
import { EXPORT_SUFFIX, exportFolder } from '../../loaders/verify/found-manifest.ts'
import { RENAMED_FILE, RENAMED_SIGNATURE_FILE } from '../../loaders/verify/renamed.ts'
import type { RunKey } from '../../sql/tables.ts'
import { resolveSigner } from '../config/signing.ts'
import { emitStep } from '../context/open-run.ts'
import { packFolder, packsFolder, SUPPRESSIONS_FILE, VERIFIER_FILE } from '../context/pack-folder.ts'
import { type Context, timestamp, whileLocked } from '../context/run-context.ts'
import { pointsOf } from '../runtime/events.ts'
import { systemCodeOf } from '../runtime/not-writable.ts'
import { productVersion } from '../runtime/package-root.ts'
import { UserError } from '../settings/errors.ts'
import { writeOperationsOf, writePackOf } from './pack.ts'
import { replacePlanPages, writePlanPage } from './plan-page.ts'

/**
 * Writes the pack of a run again, from data in the database, into a folder beside the existing pack. If the
 * new manifest equals the original manifest, the new pack replaces the existing pack.
 *
 * If the plan of the run waits for a decision, its page is written again instead.
 *
 * The function holds the lock of the integration. Without the lock, a run that applies the plan could write
 * its pack into the same folder at the same time.
 *
 * @returns the folder of the pack or page
 * @throws UserError if the run has no pack, or if another process holds the lock; Error if the new pack
 *   differs, for example because the version of the product is another; the existing pack then stays
 *   unchanged
 */
export async function exportRun(
  context: Context,
  { integration_id: integrationId, run_id: runId }: Pick<RunRecord, 'integration_id' | 'run_id'>,
): Promise<string> {
  return withRunLocked(context, { integrationId, runId }, exportLocked)
}

/**
 * Locks the integration of a run, and does work with the record of the run.
 *
 * @throws UserError if the run was deleted, or if another process holds the lock
 */
export async function withRunLocked<Result>(
  context: Context,
  { integrationId, runId }: RunKey,
  work: (locked: Context, record: RunRecord) => Promise<Result>,
): Promise<Result> {
  const done = await whileLocked(context, integrationId, async (locked) => {
    // Another process may have applied or finished the run a moment ago, so the run is read again while the
    // lock is held.
    const record = await findRun(locked.database.kysely, { integrationId, runId })
    if (record !== undefined) return { result: await work(locked, record) }
    throw new UserError('state', `run ${runId} of ${integrationId} was deleted`)
  })
  if (done !== null) return done.result
  throw new UserError(
    'locked',
    `${integrationId} is locked by another process`,
    'wait until it ends; nothing was written',
  )
}

/** Writes the pack of a run, or the page of its plan. The caller must hold the lock of the integration. */
async function exportLocked(context: Context, record: RunRecord): Promise<string> {
  const { integration_id: integrationId, run_id: runId, plan_hash: planHash } = record
  if (record.manifest_sha256 === null || planHash === null) {
    const waiting = await findWaitingPlan(context.database.kysely, integrationId)
    if (waiting?.run_id === runId) return writePlanPage(context, waiting)
    throw withoutPack(record)
  }
  requireKept(record)
  const folder = packFolder({ ...context, integrationId, runId })
  const beside = exportFolder(folder)
  const discard = () => rm(beside, { recursive: true, force: true })
  await discard()
  const sha256 = await emitStep(context, integrationId, 'write', { number: 1, of: 2 }, () =>
    writeBeside(context, record, planHash, beside),
  ).catch(async (error: unknown) => {
    await discard() // the disk may be full
    throw error
  })
  if (sha256 !== record.manifest_sha256) {
    const then = record.finished_at?.toISOString() ?? 'then'
    const [why, todo] =
      record.product_version === productVersion
        ? ['its manifest has another SHA-256', 'compare the two, and report it']
        : [
            `the run is of event-content-sync ${record.product_version}, and this is ${productVersion}, which writes packs differently`,
            'export it with that version',
          ]
    throw new Error(
      `the rewritten pack of run ${runId} differs from the one of ${then}, which was not changed: ${why}; the new one is in ${beside}; ${todo}`,
    )
  }
  await emitStep(context, integrationId, 'put in place', { number: 2, of: 2 }, () =>
    putInPlace(context, integrationId, beside, folder, sha256),
  )
  return folder
}

/** Returns the error for a run that has no pack. */
export function withoutPack({ integration_id: integrationId, run_id: runId, status }: RunRecord): UserError {
  // A held plan waits for approval. A new run would make a new plan instead.
  const command =
    status === 'held' || status === 'planned'
      ? `event-sync plan ${integrationId}`
      : `event-sync run ${integrationId}`
  return new UserError(
    'state',
    `run ${runId} of ${integrationId} has no pack: its plan was not applied (status: ${status})`,
    `continue with \`${command}\``,
  )
}

/**
 * Checks that the data of a pack was not deleted, and that the pack has no data of a forgotten person.
 *
 * @throws UserError
 */
export function requireKept(record: RunRecord): void {
  const { integration_id: integrationId, run_id: runId, purged_at: purgedAt } = record
  if (purgedAt !== null)
    throw new UserError(
      'state',
      `run ${runId} of ${integrationId} was purged at ${purgedAt.toISOString()}: its pack cannot be written again`,
    )
  if (record.pack_purged_at !== null)
    throw new UserError(
      'state',
      `the pack of run ${runId} of ${integrationId} was purged at ${record.pack_purged_at.toISOString()}: it is not written again`,
    )
  if (record.reissue_due)
    throw new UserError(
      'state',
      `the pack of run ${runId} must first be rewritten without a forgotten person`,
      'repeat the `event-sync forget` that began it',
    )
}

/**
 * Writes the pack of a run, from data in the database, into a folder beside the existing pack.
 *
 * @returns SHA-256 of the manifest, in hexadecimal
 */
async function writeBeside(context: Context, record: RunRecord, planHash: string, beside: string) {
  await writeOperationsOf(context, { ...record, plan_hash: planHash }, beside)
  const signer = resolveSigner(context.config, context.secrets)
  return writePackOf(
    context.database.kysely,
    record,
    { folder: beside, mode: context.config.output.mode },
    signer,
    () => pointsOf(context.events, record.integration_id)('pack file written'),
  )
}

/**
 * Moves the files of a pack into the final folder. The manifest is moved last. A crash therefore never leaves
 * a manifest beside the files of another pack.
 */
async function putInPlace(
  { config, events }: Context,
  integrationId: string,
  beside: string,
  folder: string,
  manifestSha256: string,
): Promise<void> {
  await makeFolder(folder, config.output.mode)
  const existing = await findExistingManifest(folder)
  await existing.dropIfContradicted(MANIFEST_FILE, manifestSha256)
  const others = (await readdir(beside)).filter((name) => name !== MANIFEST_FILE).sort()
  for (const name of [...others, MANIFEST_FILE]) {
    await moveWhole(join(beside, name), join(folder, name))
    pointsOf(events, integrationId)('pack file moved')
  }
  await rm(beside, { recursive: true })
}

export interface Reissued {
  /** Runs whose packs were written again. */
  readonly runs: readonly string[]
  /** Packs that lost their signature, because no signing key is configured now. */
  readonly unsigned: readonly string[]
  /** Packs that may still contain data of the forgotten person, each with the reason. */
  readonly left: readonly { readonly pack: string; readonly why: string }[]
}

/**
 * Writes the packs that contain a forgotten person again. The database no longer has the person, so the new
 * packs do not contain the person either. The old manifest is kept, so that the chain of manifests stays
 * complete. If the process dies at any point, calling the function again gives the same result.
 */
export async function reissuePacks(context: Context, integrationId: string): Promise<Reissued> {
  const folder = packsFolder(context, integrationId)
  await sweep(folder)
  await replacePlanPages(context, integrationId)
  const due = (await findRuns(context.database.kysely, { integrationId }))
    .filter(({ reissue_due }) => reissue_due)
    .toReversed()
  const runs: string[] = []
  const unsigned: string[] = []
  const left: { pack: string; why: string }[] = []
  for (const record of due) {
    const why = await reissue(context, record, unsigned)
    if (why === null) runs.push(record.run_id)
    else left.push({ pack: record.run_id, why })
    pointsOf(context.events, integrationId)('pack reissued')
  }
  left.push(...(await findUnknownPacks(context, integrationId, folder)))
  return { runs, unsigned, left }
}

const LOOK = 'look into it, and delete it if it has the person'

/** Writes one pack again. @returns null; if the pack could not be written again, the reason */
async function reissue(context: Context, record: RunRecord, unsigned: string[]): Promise<string | null> {
  const { integration_id: integrationId, run_id: runId } = record
  const { manifest_sha256: sha256, plan_hash: planHash } = record
  if (sha256 === null || planHash === null) return 'it has no pack'
  const at = pointsOf(context.events, integrationId)
  const key = { integrationId, runId }
  const folder = packFolder({ outputFolder: context.outputFolder, integrationId, runId })
  const before = await findSuperseded(context.database.kysely, key)
  if (before.at(-1)?.sha256 !== sha256) {
    const manifest = readText(join(folder, MANIFEST_FILE))
    if (manifest === null) return 'it is missing; if it was moved, delete it there'
    if (hash('sha256', manifest) !== sha256)
      return `its manifest is not the one that this database knows; ${LOOK}`
    const details = readText(join(folder, DETAILS_FILE))
    const said = parseManifest(Buffer.from(manifest))?.files.find(({ name }) => name === DETAILS_FILE)
    if (details === null || hash('sha256', details) !== said?.sha256)
      return `its ${DETAILS_FILE} is missing, or is not the one that its manifest names; ${LOOK}`
    const signature = readText(join(folder, SIGNATURE_FILE))
    const link = { place: before.length + 1, sha256, manifest, details, signature }
    const now = timestamp(context.environment)
    await context.database.transaction((transaction) => keepSuperseded(transaction, key, link, now))
    at('manifest kept')
  }
  const beside = exportFolder(folder)
  await rm(beside, { recursive: true, force: true })
  const reissuedSha256 = await writeBeside(context, record, planHash, beside)
  at('pack beside')
  const kept = new Set(await readdir(beside))
  await putInPlace(context, integrationId, beside, folder, reissuedSha256)
  for (const name of await readdir(folder)) {
    const isOld = SUPERSEDED_FILE.test(name) || name === SIGNATURE_FILE
    if (isOld && !kept.has(name)) await rm(join(folder, name))
    if (name === SIGNATURE_FILE && !kept.has(name)) unsigned.push(runId)
  }
  at('pack in place')
  await context.database.transaction((transaction) =>
    updateRun(transaction, integrationId, runId, { manifest_sha256: reissuedSha256, reissue_due: false }),
  )
  return null
}

/** Deletes partial files of a process that died, and folders that `export` has left beside the packs. */
async function sweep(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (name.endsWith(EXPORT_SUFFIX)) await rm(join(folder, name), { recursive: true })
    else
      for (const file of await namesIn(join(folder, name)))
        if (file.endsWith('.partial')) await rm(join(folder, name, file))
  }
}

const BESIDE_PACKS = [SUPPRESSIONS_FILE, VERIFIER_FILE, RENAMED_FILE, RENAMED_SIGNATURE_FILE]

/** Finds folders that are not packs of this database. Also finds packs that cannot be written again. */
async function findUnknownPacks({ database }: Context, integrationId: string, folder: string) {
  const runs = await findRuns(database.kysely, { integrationId })
  const known = runs.filter(({ manifest_sha256 }) => manifest_sha256 !== null)
  const packs = new Set<string>(known.map(({ run_id }) => run_id))
  const left: { pack: string; why: string }[] = []
  for (const { run_id: pack, purged_at } of known.toReversed()) {
    if (purged_at === null) continue
    const names = await namesIn(join(folder, pack))
    // A purged pack contains no personal data.
    if (names.length === 0 || names.includes(PURGED_FILE)) continue
    const why = 'its run was purged, so it cannot be written again; remove it, or purge with --packs'
    left.push({ pack, why })
  }
  const waiting = await findWaitingPlan(database.kysely, integrationId)
  if (waiting !== null) packs.add(waiting.run_id)
  const isOther = (name: string) => !packs.has(name) && !BESIDE_PACKS.includes(name)
  const names = (await namesIn(folder)).filter(isOther).sort()
  return [
    ...left,
    ...names.map((pack) => ({ pack, why: `this database knows no pack of that name; ${LOOK}` })),
  ]
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (ABSENT.includes(systemCodeOf(error) ?? '')) return []
    throw error
  })
}

function readText(path: string): string | null {
  return readIfThere(path)?.toString() ?? null
}

const ABSENT: readonly string[] = ['ENOENT', 'ENOTDIR']
