import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Db, GapPack, RunStatus } from '../../sql/tables.ts'
import { renamingOf } from '../ledger/former-ids.ts'
import { joinIds, openChain, renamedIn } from './chain.ts'
import { readManifest, readPacks } from './found-manifest.ts'
import { hasOperations } from './operations.ts'
import { readRenamings } from './renamed.ts'

/**
 * Finds packs in an integration's folder that the database does not know. A pack can be unknown after the
 * database was restored from a backup.
 *
 * The function also finds a run that died before its pack was complete, if the folder has the run's
 * operations: someone may have delivered these operations to the platform. A run may die after writing its
 * pack and before recording it. If all unknown packs are from runs that died before recording their pack, the
 * function returns no packs.
 *
 * Packs of the former ids of the integration count too, even if only the packs or the note beside them list
 * these ids.
 *
 * @returns `packs`: the unknown packs in the order of their runs. `isNew`: a function that returns true for a
 *   pack that no run names in its gap
 */
export async function findUnknownPacks(db: Db, integrationId: string, folder: string, nowMs: number) {
  const unrecorded = await findUnrecorded(db, integrationId, await namesIn(folder))
  if (unrecorded.length === 0) return { packs: [], isNew: () => true }
  const gaps = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('gap', 'is not', null)
    .select(['status', 'manifest_sha256', 'gap'])
    .execute()
  // The gap of a run that is being applied is included, because the run's manifest will name the packs in the
  // gap.
  const naming = gaps.filter(
    ({ manifest_sha256, status }) =>
      manifest_sha256 !== null || status === 'applying' || status === 'applied',
  )
  const known = new Set(naming.flatMap(({ gap }) => (gap ?? []).map(({ run }) => run)))
  const ending = new Set(
    unrecorded.flatMap(({ name, status, finishedAt }) =>
      status === 'applied' && finishedAt !== null ? name : [],
    ),
  )
  // According to the database, only runs with a status in `SENDING` have written operations. If any other run
  // has operations in its folder, the database is outdated.
  const sending = new Set(
    unrecorded.flatMap(({ name, status }) => (status !== null && SENDING.includes(status) ? name : [])),
  )
  const taken = new Set(gaps.flatMap(({ gap }) => (gap ?? []).map(({ run }) => run)))
  const names = unrecorded.map(({ name }) => name).filter((name) => !known.has(name))
  const found = names.map((name) => ({ name, pack: readManifest(join(folder, name), null) }))
  const manifests = found.flatMap(({ pack }) => pack?.manifest ?? [])
  const renamings = [await renamingOf(db, integrationId), ...readRenamings(folder)]
  const rootOf = joinIds([...renamings, ...manifests.map(renamedIn)])
  const isOwn = (integration: string) => rootOf(integration) === rootOf(integrationId)
  const packs: GapPack[] = []
  for (const { name, pack } of found) {
    if (pack === null) {
      if (!sending.has(name) && (await hasOperations(join(folder, name), isOwn, nowMs)))
        packs.push({ run: name, manifestSha256: null })
    } else if (pack.manifest !== null && isOwn(pack.manifest.integration) && pack.manifest.run === name) {
      packs.push({ run: name, manifestSha256: pack.sha256 })
    }
  }
  const isBehind = packs.some(({ run }) => !ending.has(run))
  return { packs: isBehind ? packs : [], isNew: ({ run }: GapPack) => !taken.has(run) }
}

/**
 * Finds the names in a folder that are not those of runs with a recorded pack. The database compares the names:
 * after years of hourly runs, reading all runs into this process would take longer than a run without changes.
 */
async function findUnrecorded(db: Db, integrationId: string, names: readonly string[]) {
  const { rows } = await sql<{
    readonly name: string
    readonly status: RunStatus | null
    readonly finishedAt: Date | null
  }>`
    select named.name, run.status, run.finished_at as "finishedAt"
    from unnest(${[...names]}::text[]) as named (name)
    left join sync.runs as run
      on run.integration_id = ${integrationId}
      and run.run_id::text = named.name
    where run.manifest_sha256 is null
    order by named.name collate "C"`.execute(db)
  return rows
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
 * Returns the manifest hash that the next pack must name as its predecessor if the database does not know
 * some packs. If the unknown packs follow the last known pack, the next pack follows the last unknown pack.
 * If the unknown packs are a separate branch, the next pack follows the last known pack.
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
  // If a newer database wrote the last known pack again, unknown packs may name another manifest of that pack.
  const lastKnown = new Set<string | null>(
    links.find(({ hashes }) => hashes.some((sha256) => sha256 === last))?.hashes ?? [last],
  )
  const goesOn = last === null || unknown.some(({ previous }) => lastKnown.has(previous))
  // They are all of this integration, also those that name one of its former ids.
  const renamedFrom = unknown.map(({ integration }) => integration)
  const end = openChain(unknown, [{ integration: integrationId, renamedFrom }]).end(integrationId)
  return goesOn ? (end ?? last) : last
}
