import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MANIFEST_FILE, PURGED_FILE, SIGNATURE_FILE } from '../../loaders/audit/csv-files/pack-files.ts'
import { findSuperseded, keepSuperseded, SUPERSEDED_FILE } from '../../loaders/audit/superseded.ts'
import { readIfThere } from '../../loaders/files/read-if-there.ts'
import { findRequests, findRuns, type RunRecord, updateRun } from '../../loaders/ledger/ledger.ts'
import { EXPORT_SUFFIX, exportFolder } from '../../loaders/verify/found-manifest.ts'
import type { RunKey } from '../../sql/tables.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { pointsOf } from '../runtime/events.ts'
import { systemCodeOf } from '../runtime/not-writable.ts'
import { putInPlace, writeBeside } from './export.ts'
import { packFolder } from './pack-folder.ts'

export interface Reissued {
  /** Runs whose packs were written again. */
  readonly runs: readonly string[]
  /** Those of them that had a signature and now have none, since no key is configured. */
  readonly unsigned: readonly string[]
  /** Packs that may still hold the person, and why. */
  readonly left: readonly { readonly pack: string; readonly why: string }[]
}

/**
 * Writes packs with a forgotten person again, from the ledger, which no longer has the person. The old manifest stays as a
 * link of the chain. Killed at any point, it ends the same when it is called again.
 */
export async function reissuePacks(context: Context, integrationId: string): Promise<Reissued> {
  const folder = join(context.outputFolder, integrationId)
  await sweep(folder)
  const due = (await findRuns(context.database.kysely, { integrationId }, MOST_RUNS))
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
  left.push(...(await findStrangers(context, integrationId, folder)))
  return { runs, unsigned, left }
}

const MOST_RUNS = 1_000_000

/** @returns why not; null where it was written again */
async function reissue(context: Context, record: RunRecord, unsigned: string[]): Promise<string | null> {
  const { integration_id: integrationId, run_id: runId } = record
  const { manifest_sha256: sha256, plan_hash: planHash } = record
  if (sha256 === null || planHash === null) return 'it has no pack'
  if (record.personal_data === null) return 'it was written by a version before 0.2, in another format'
  const at = pointsOf(context.events, integrationId)
  const key = { integrationId, runId }
  const folder = packFolder({ outputFolder: context.outputFolder, integrationId, runId })
  const before = await findSuperseded(context.database.kysely, key)
  if (before.at(-1)?.sha256 !== sha256) {
    const manifest = await readText(join(folder, MANIFEST_FILE))
    if (manifest === null) return 'it is not there'
    if (sha256Of(manifest) !== sha256) return 'its manifest is not the one that this database knows'
    const signature = await readText(join(folder, SIGNATURE_FILE))
    const isClean = await hasRequestsOfLedger(context, key, manifest)
    const kept = isClean ? { manifest, signature } : { manifest: null, signature: null }
    const link = { place: before.length + 1, sha256, ...kept }
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

/** Only the addresses of pages in a manifest may hold a value of a person; the ledger has them without. */
async function hasRequestsOfLedger({ database }: Context, key: RunKey, manifest: string): Promise<boolean> {
  const requests = await findRequests(database.kysely, key)
  const written: unknown = Reflect.get(Object(JSON.parse(manifest)), 'requests')
  return JSON.stringify(written) === JSON.stringify(requests)
}

/** Removes partial files of a process that died, and packs that `export` wrote beside the others. */
async function sweep(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (name.endsWith(EXPORT_SUFFIX)) await rm(join(folder, name), { recursive: true })
    else
      for (const file of await namesIn(join(folder, name)))
        if (file.endsWith('.partial')) await rm(join(folder, name, file))
  }
}

/** Folders that are not packs known to this database, or packs that cannot be written again. */
async function findStrangers({ database }: Context, integrationId: string, folder: string) {
  const runs = await findRuns(database.kysely, { integrationId }, MOST_RUNS)
  const known = runs.filter(({ manifest_sha256 }) => manifest_sha256 !== null)
  const packs = new Set<string>(known.map(({ run_id }) => run_id))
  const left: { pack: string; why: string }[] = []
  for (const { run_id: pack, purged_at } of known.toReversed()) {
    if (purged_at === null) continue
    const names = await namesIn(join(folder, pack))
    // What purge leaves of a pack has no values.
    if (names.length === 0 || names.includes(PURGED_FILE)) continue
    const why = 'its run was purged, so it cannot be written again; remove it, or purge with --packs'
    left.push({ pack, why })
  }
  const names = (await namesIn(folder)).filter((name) => !packs.has(name)).sort()
  return [...left, ...names.map((pack) => ({ pack, why: 'this database knows no pack of that name' }))]
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (ABSENT.includes(systemCodeOf(error) ?? '')) return []
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
