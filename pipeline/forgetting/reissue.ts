import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MANIFEST_FILE, PURGED_FILE, SIGNATURE_FILE } from '../../loaders/audit/pack-files.ts'
import { findSuperseded, keepSuperseded, SUPERSEDED_FILE } from '../../loaders/audit/superseded.ts'
import { EXPORT_SUFFIX } from '../../loaders/audit/verify/found-manifest.ts'
import { findRequests, findRuns, type RunRecord, updateRun } from '../../loaders/ledger.ts'
import { readIfThere } from '../../loaders/read-if-there.ts'
import { putInPlace, writeBeside } from '../export.ts'
import type { Point } from '../observe/told.ts'
import { packFolder } from '../pack-folder.ts'
import { type Context, timestamp } from '../run-context.ts'

/** What became of the packs that held a person. */
export interface Reissued {
  /** Runs whose packs were written again. */
  readonly runs: readonly string[]
  /** Those among them that had a signature and have none now, since no key is configured. */
  readonly unsigned: readonly string[]
  /** Packs that may still hold the person, and why. */
  readonly left: readonly { readonly pack: string; readonly why: string }[]
}

/**
 * Writes the packs again that hold somebody who was forgotten, from the ledger, which no longer has the person. The old
 * manifest stays as a link of the chain. Whatever dies, and whenever: done again, it ends the same.
 */
export async function reissuePacks(context: Context, integrationId: string): Promise<Reissued> {
  const folder = join(context.outputFolder, integrationId)
  await sweep(folder)
  const due = (await findRuns(context.database.kysely, { integrationId }, MOST_RUNS))
    .filter(({ reissue_due }) => reissue_due)
    .toReversed()
  const reissued = {
    runs: [] as string[],
    unsigned: [] as string[],
    left: [] as { pack: string; why: string }[],
  }
  for (const record of due) {
    const why = await reissue(context, record, reissued.unsigned)
    if (why === null) reissued.runs.push(record.run_id)
    else reissued.left.push({ pack: record.run_id, why })
    context.progress.at(integrationId, 'pack reissued')
  }
  reissued.left.push(...(await findStrangers(context, integrationId, folder)))
  return reissued
}

const MOST_RUNS = 1_000_000

/** @returns why not; null where it was written again */
async function reissue(context: Context, record: RunRecord, unsigned: string[]): Promise<string | null> {
  const {
    integration_id: integrationId,
    run_id: runId,
    manifest_sha256: sha256,
    plan_hash: planHash,
  } = record
  if (sha256 === null || planHash === null) return 'it has no pack'
  if (record.personal_data === null) return 'it was written by a version before 0.2, in another format'
  const at = (point: Point) => context.progress.at(integrationId, point)
  const key = { integrationId, runId }
  const folder = packFolder({ outputFolder: context.outputFolder, integrationId, runId })
  const before = await findSuperseded(context.database.kysely, key)
  if (before.at(-1)?.sha256 !== sha256) {
    const manifest = await readText(join(folder, MANIFEST_FILE))
    if (manifest === null) return 'it is not there'
    if (sha256Of(manifest) !== sha256) return 'its manifest is not the one that this database knows'
    const signature = await readText(join(folder, SIGNATURE_FILE))
    const isClean = await saysOfRequests(context, record, manifest)
    await context.database.transaction((transaction) =>
      keepSuperseded(
        transaction,
        key,
        {
          place: before.length + 1,
          sha256,
          manifest: isClean ? manifest : null,
          signature: isClean ? signature : null,
        },
        timestamp(context.environment),
      ),
    )
    at('manifest kept')
  }
  const beside = `${folder}${EXPORT_SUFFIX}`
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

/** Addresses of pages are all in a manifest that may hold a value of a person: these are as the ledger has them now. */
async function saysOfRequests({ database }: Context, record: RunRecord, manifest: string): Promise<boolean> {
  const requests = await findRequests(database.kysely, {
    integrationId: record.integration_id,
    runId: record.run_id,
  })
  const said: unknown = JSON.parse(manifest)
  const isObject = typeof said === 'object' && said !== null && 'requests' in said
  return isObject && JSON.stringify(said.requests) === JSON.stringify(requests)
}

/** Removes what a process that died has left half written, and packs that `export` wrote beside their place. */
async function sweep(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (name.endsWith(EXPORT_SUFFIX)) await rm(join(folder, name), { recursive: true })
    else
      for (const file of await namesIn(join(folder, name)))
        if (file.endsWith('.partial')) await rm(join(folder, name, file))
  }
}

/** What stands beside the packs that this database knows. */
async function findStrangers({ database }: Context, integrationId: string, folder: string) {
  const known = await findRuns(database.kysely, { integrationId }, MOST_RUNS)
  const packs = new Set(
    known.flatMap(({ run_id, manifest_sha256 }) => (manifest_sha256 === null ? [] : run_id)),
  )
  const left: { pack: string; why: string }[] = []
  for (const { run_id: pack, purged_at } of known.toReversed()) {
    if (purged_at === null || !packs.has(pack)) continue
    const names = await namesIn(join(folder, pack))
    // What purge leaves of a pack has no values.
    if (names.length === 0 || names.includes(PURGED_FILE)) continue
    left.push({
      pack,
      why: 'its run was purged, so it cannot be written again; remove it, or purge with --packs',
    })
  }
  const names = (await namesIn(folder)).filter((name) => !packs.has(name)).sort()
  return [...left, ...names.map((pack) => ({ pack, why: 'this database knows no pack of that name' }))]
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && ABSENT.includes(String(error.code))) return []
    throw error
  })
}

async function readText(path: string): Promise<string | null> {
  const bytes = await readIfThere(path, ABSENT)
  return bytes?.toString() ?? null
}

const ABSENT: readonly string[] = ['ENOENT', 'ENOTDIR']

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
