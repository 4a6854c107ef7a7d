import type { Db } from '../../sql/tables.ts'
import { renamingOf } from '../ledger/former-ids.ts'
import { openChain } from '../verify/chain.ts'
import { dayOf, isIn, type Period } from '../verify/evidence-index.ts'
import { readPacks } from '../verify/found-manifest.ts'

/** A pack in the chain of an integration, as its folder or only the database knows it. */
export interface ChainedPack {
  readonly run: string
  /** Id of the integration at the time of the run; null if only the database knows the pack. */
  readonly integration: string | null
  readonly sha256: string
  /** SHA-256 of all manifests that the pack has had. */
  readonly hashes: readonly string[]
  readonly previous: string | null
  readonly landedAt: string | null
  readonly finishedAt: string | null
  /** Folder of the pack; null if it has no pack with the manifest that the database knows. */
  readonly folder: string | null
}

/** The packs of a period in the order of the chain, and the packs around them. */
export interface ChosenPacks {
  readonly before: ChainedPack | null
  /** SHA-256 of the manifest that the first pack names; null if no pack comes before the period. */
  readonly beforeSha256: string | null
  readonly packs: readonly ChainedPack[]
  readonly after: ChainedPack | null
}

/**
 * Finds all packs of an integration: those in its folder, which may be unknown to the database, and those
 * that only the database knows.
 */
export async function findChain(
  db: Db,
  integrationId: string,
  folder: string,
): Promise<readonly ChainedPack[]> {
  const { links, renamings } = await readPacks(folder, null)
  const chain = openChain(links, [await renamingOf(db, integrationId), ...renamings])
  const own = new Map(
    links
      .filter(({ integration }) => chain.isSame(integration, integrationId))
      .map((link) => [link.run, link]),
  )
  const runs = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('manifest_sha256', 'is not', null)
    .orderBy('run_id')
    .select(['run_id', 'manifest_sha256', 'previous_manifest_sha256', 'applied_at', 'finished_at'])
    .execute()
  const packs: ChainedPack[] = []
  for (const run of runs) {
    const sha256 = run.manifest_sha256 ?? ''
    const link = own.get(run.run_id)
    own.delete(run.run_id)
    packs.push(
      link?.sha256 === sha256
        ? link
        : {
            run: run.run_id,
            integration: null,
            sha256,
            hashes: [sha256],
            previous: run.previous_manifest_sha256,
            landedAt: run.applied_at?.toISOString() ?? null,
            finishedAt: run.finished_at?.toISOString() ?? null,
            folder: null,
          },
    )
  }
  return [...packs, ...own.values()]
}

/**
 * Chooses the packs that landed in a period. They are a part of the chain without gaps: packs between two packs
 * of the period belong to it, even if a clock was wrong.
 *
 * @returns null if the packs of the period are not in one row, because the chain has branches there
 */
export function choosePacks(chain: readonly ChainedPack[], period: Period): ChosenPacks | null {
  const byHash = new Map(chain.flatMap((pack) => pack.hashes.map((hash) => [hash, pack] as const)))
  const followed = new Set(chain.flatMap(({ previous }) => byHash.get(previous ?? '') ?? []))
  const rows = chain.filter((pack) => !followed.has(pack)).map((end) => rowUpTo(end, byHash))
  const landed = chain.filter(({ landedAt }) => isIn(period, landedAt))
  const longestFirst = rows.toSorted((one, other) => other.length - one.length)
  const row = longestFirst.find((one) => new Set(landed).isSubsetOf(new Set(one)))
  if (row === undefined) return landed.length === 0 ? NOTHING : null
  const isLanded = ({ landedAt }: ChainedPack) => isIn(period, landedAt)
  const isEarlier = ({ landedAt }: ChainedPack) => (dayOf(landedAt) ?? period.from) < period.from
  const begin = landed.length > 0 ? row.findIndex(isLanded) : row.findLastIndex(isEarlier) + 1
  const end = row.findLastIndex(isLanded) + 1 || begin
  return {
    before: row[begin - 1] ?? null,
    beforeSha256: row[begin]?.previous ?? row[begin - 1]?.sha256 ?? null,
    packs: row.slice(begin, end),
    after: row[end] ?? null,
  }
}

const NOTHING: ChosenPacks = { before: null, beforeSha256: null, packs: [], after: null }

/** Returns the packs from the first one up to a pack, in the order of the chain. */
function rowUpTo(end: ChainedPack, byHash: ReadonlyMap<string, ChainedPack>): readonly ChainedPack[] {
  const row = new Set<ChainedPack>()
  let at: ChainedPack | undefined = end
  while (at !== undefined && !row.has(at)) {
    row.add(at)
    at = byHash.get(at.previous ?? '')
  }
  return [...row].toReversed()
}
