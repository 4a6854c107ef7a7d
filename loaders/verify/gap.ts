import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db, GapPack, RunStatus } from '../../sql/tables.ts'
import { openChain } from './chain.ts'
import { readManifest, readPacks } from './found-manifest.ts'
import { hasOperations } from './operations.ts'

/**
 * Finds packs in an integration's folder that the database does not know, as after it was restored from a
 * backup. A run that died after its pack was written, but before that was recorded, does not count if no
 * other pack is unknown. A run that died before its pack was complete has left operations, which may have
 * been taken to the platform.
 *
 * @returns the packs in the order of their runs, and a function that is true for those that no run has in its
 *   gap
 */
export async function findUnknownPacks(db: Db, integrationId: string, folder: string, nowMs: number) {
  const runs = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .select(['run_id', 'status', 'finished_at', 'manifest_sha256', 'gap'])
    .execute()
  // The gap of a run that is being applied counts too: its manifest will name these packs.
  const naming = runs.filter(
    ({ manifest_sha256, status }) =>
      manifest_sha256 !== null || status === 'applying' || status === 'applied',
  )
  const known = new Set([
    ...runs.filter(({ manifest_sha256 }) => manifest_sha256 !== null).map(({ run_id }) => run_id),
    ...naming.flatMap(({ gap }) => (gap ?? []).map(({ run }) => run)),
  ])
  const ending = new Set(
    runs.flatMap(({ run_id, status, finished_at }) =>
      status === 'applied' && finished_at !== null ? run_id : [],
    ),
  )
  // Only runs in these states have written operations.
  const sending = new Set(runs.flatMap(({ run_id, status }) => (SENDING.includes(status) ? run_id : [])))
  const taken = new Set(runs.flatMap(({ gap }) => (gap ?? []).map(({ run }) => run)))
  const packs: GapPack[] = []
  for (const name of await namesIn(folder)) {
    if (known.has(name)) continue
    const path = join(folder, name)
    const found = readManifest(path, null)
    if (found === null) {
      if (!sending.has(name) && (await hasOperations(path, integrationId, nowMs)))
        packs.push({ run: name, manifestSha256: null })
    } else if (found.manifest?.integration === integrationId && found.manifest.run === name) {
      packs.push({ run: name, manifestSha256: found.sha256 })
    }
  }
  const isBehind = packs.some(({ run }) => !ending.has(run))
  return { packs: isBehind ? packs : [], isNew: ({ run }: GapPack) => !taken.has(run) }
}

const SENDING: readonly RunStatus[] = ['applying', 'applied', 'failed', 'finished']

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && ABSENT.includes(String(error.code))) return []
    throw error
  })
  return names.sort()
}

const ABSENT: readonly string[] = ['ENOENT', 'ENOTDIR']

/**
 * Returns the manifest that the next pack follows if some packs are unknown to the database. If the unknown
 * packs continue from the last pack that the database knows, the next pack follows the last of them.
 * Otherwise they are a branch that ends, and the next pack follows the last known one.
 *
 * @param last SHA-256 of the last manifest that the database knows
 */
export async function endOfChain(
  folder: string,
  integrationId: string,
  gap: readonly GapPack[],
  last: string | null,
): Promise<string | null> {
  const named = new Set(gap.map(({ manifestSha256 }) => manifestSha256))
  const { links } = await readPacks(folder, null)
  const unknown = links.filter(({ sha256 }) => named.has(sha256))
  const goesOn = last === null || unknown.some(({ previous }) => previous === last)
  return goesOn ? (openChain(unknown).end(integrationId) ?? last) : last
}
