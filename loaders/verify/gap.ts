import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db, GapPack, RunStatus } from '../../sql/tables.ts'
import { openChain } from './chain.ts'
import { readManifest, readPacks } from './found-manifest.ts'
import { hasOperations } from './operations.ts'

/**
 * Looks for packs in an integration's folder that the database does not know, as after it was restored from a backup. A run
 * whose pack was written, and died before that was recorded, is known if nothing else is missing. Of a run that died before
 * its pack was whole there are operations, which may have been taken to the platform.
 *
 * @returns the packs in the order of their runs, and those among them that no run has taken over yet
 */
export async function findUnknownPacks(db: Db, integrationId: string, folder: string, nowMs: number) {
  const runs = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .select(['run_id', 'status', 'finished_at', 'manifest_sha256', 'gap'])
    .execute()
  // A run on its way says in its manifest which packs it names.
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
  // Only an approved plan has its operations written.
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
 * The pack that the next one follows where some are unknown to the database: the last of those if they go on from the
 * database's own last, so that the chain goes on; else they are a branch that is left.
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
