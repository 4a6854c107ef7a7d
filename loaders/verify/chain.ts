import { basename } from 'node:path'
import type { Finding, Manifest } from '../packs/csv-files/pack-format.ts'

/** The chain of the packs in an integration's folder, and the purges that their manifests report. */
export type Chain = ReturnType<typeof openChain>

const NOTHING: readonly Finding[] = []
/** Maximum number of runs that a message names if many packs of a folder do not fit into the chain. */
const MOST_NAMED = 5
/** Maximum number of faults of earlier packs that are repeated in the findings of a later pack. */
const MOST_CARRIED = 20

/**
 * Builds the chain of packs from their manifests. Each manifest has the hash of the previous manifest; only
 * the first manifest has none. Normally only one pack may follow a given pack. Two packs may follow the same
 * pack only if the gap (the list of packs unknown to the database) of some pack names one of the two. Packs
 * need not be in the order of their run ids, because a user may approve a plan after later runs. The function
 * processes each pack only once, so its time grows linearly with the number of packs.
 *
 * A pack may follow a pack of another id only if its manifest says that the integration was renamed from that
 * id.
 *
 * @param renamings renamings in the note beside the packs, which no pack lists yet
 * @param listed purges that no pack of the folder lists, but that are confirmed in another way
 */
export function openChain(
  links: readonly Link[],
  renamings: readonly Renaming[] = [],
  listed: readonly ListedPurge[] = [],
) {
  const rootOf = joinIds([...links, ...renamings])
  const byFolder = new Map(links.map((link) => [link.folder, link]))
  // If a pack exists in two folders, the chain has it once. The function `placeOf` reports the copy, because
  // the copy's folder has another name.
  const own = [...new Map(links.map((link) => [link.sha256, link])).values()]
  const bySha256 = new Map(own.map((link) => [link.sha256, link]))
  const byHash = new Map(own.flatMap((link) => link.hashes.map((hash) => [hash, link] as const)))
  const claims = Map.groupBy(
    own.flatMap((link) => [...new Set(link.hashes)].map((sha256) => ({ sha256, link }))),
    ({ sha256 }) => sha256,
  )
  const followers = Map.groupBy(own, (link) => placeAfter(link, link.previous))
  const runsOf = Map.groupBy(own, ({ integration }) => rootOf(integration))
  const noted = new Set(own.flatMap(({ gap }) => gap).flatMap((sha256) => byHash.get(sha256)?.sha256 ?? []))
  const purges = new Set(listed.map(keyOf))
  /** Runs whose manifests list a pack as purged, by the hash of the purged pack's manifest. */
  const purged = new Map<string, string>()
  for (const link of own) {
    for (const purge of link.purged) {
      purges.add(keyOf(purge))
      purged.set(purge.manifestSha256, link.run)
    }
  }

  function placeAfter({ integration }: Link, previous: string | null): string {
    // A pack that was written again has several manifests, and later packs may name any of them.
    const current = previous === null ? null : (byHash.get(previous)?.sha256 ?? previous)
    return `${rootOf(integration)} ${current}`
  }

  function before({ integration, renamedFrom, previous }: Link): Link | null {
    const found = previous === null ? undefined : byHash.get(previous)
    const isOwn = found?.integration === integration || found?.integration === renamedFrom[0]
    return found !== undefined && isOwn ? found : null
  }

  function faultsAt(link: Link): readonly string[] {
    const { run, previous, integration, gap, hashes } = link
    const faults: string[] = []
    for (const rival of followers.get(placeAfter(link, previous)) ?? []) {
      // After a database was restored from a backup, the chain has two branches. A pack of one branch names
      // the packs of the other branch in its gap (its list of packs unknown to the database).
      if (rival === link || noted.has(rival.sha256) || noted.has(link.sha256)) continue
      if (faults.length === MOST_NAMED) {
        faults.push(
          `run ${run}: more packs ${previous === null ? 'say that they are the first' : 'follow the same pack'}`,
        )
        break
      }
      const what = previous === null ? 'both say that they are the first' : 'both follow the same pack'
      faults.push(`run ${run} and run ${rival.run} ${what}`)
    }
    for (const sha256 of hashes)
      for (const { link: other } of (claims.get(sha256) ?? []).slice(0, MOST_NAMED))
        if (other !== link)
          faults.push(`run ${run} and run ${other.run} both claim the manifest with SHA-256 ${sha256}`)
    for (const sha256 of gap) {
      const missed = byHash.get(sha256)
      if (missed !== undefined && rootOf(missed.integration) === rootOf(integration)) continue
      faults.push(
        `run ${run} names a pack in its gap that is missing here, or whose manifest was changed (SHA-256 ${sha256})`,
      )
    }
    if (previous === null || before(link) !== null) return faults
    return [
      ...faults,
      `run ${run} follows a pack that is missing here, or whose manifest was changed (SHA-256 ${previous})`,
    ]
  }

  const known = new Map<Link, readonly Finding[]>()
  function back(from: Link): readonly Finding[] {
    const way: Link[] = []
    const seen = new Set<Link>()
    let at: Link | null = from
    while (at !== null && !known.has(at) && !seen.has(at)) {
      way.push(at)
      seen.add(at)
      at = before(at)
    }
    let findings =
      at === null ? NOTHING : (known.get(at) ?? [finding(`the chain of run ${at.run} is a loop`)])
    for (const link of way.toReversed()) {
      const faults = faultsAt(link)
      if (faults.length > 0) findings = [...faults.map(finding), ...findings.slice(0, MOST_CARRIED)]
      known.set(link, findings)
    }
    return findings
  }

  function placeOf({ folder, run, integration }: Link): readonly Finding[] {
    const found: Finding[] = []
    if (basename(folder) !== run)
      found.push(finding(`run ${run} is in a folder named ${JSON.stringify(basename(folder))}`))
    const root = rootOf(integration)
    const foreign = own.length - (runsOf.get(root)?.length ?? 0)
    if (foreign > 0) {
      const named = own.filter((other) => rootOf(other.integration) !== root).slice(0, MOST_NAMED)
      for (const { run: other } of named)
        found.push(finding(`run ${other} is next to run ${run}, but belongs to another integration`))
      if (foreign > named.length)
        found.push(finding(`${foreign} packs of other integrations are next to run ${run}`))
    }
    return found
  }

  return {
    /** @param folder the folder that contains the pack */
    findingsOf(folder: string, sha256: string): readonly Finding[] {
      const link = bySha256.get(sha256)
      return link === undefined ? NOTHING : [...placeOf(byFolder.get(folder) ?? link), ...back(link)]
    },
    /** Returns the run whose manifest lists this pack as purged; null if no manifest lists the pack. */
    runThatPurged: (sha256: string): string | null => purged.get(sha256) ?? null,
    /** Returns true if a manifest lists this purge with the same time and user. */
    listsPurge: (purge: ListedPurge): boolean => purges.has(keyOf(purge)),
    /**
     * Returns true if the pack exists and no other pack follows it. A purge after the last pack is not in any
     * manifest yet.
     */
    isLast(sha256: string): boolean {
      const link = byHash.get(sha256)
      return link !== undefined && !followers.has(placeAfter(link, link.sha256))
    },
    /** Returns true if two ids are of one integration: the same, or one after it was renamed from the other. */
    isSame: (integration: string, other: string): boolean => rootOf(integration) === rootOf(other),
    /**
     * Returns the SHA-256 of the last manifest, which is the manifest that no pack follows; null if the
     * integration has no pack.
     */
    end(integration: string): string | null {
      const all = runsOf.get(rootOf(integration)) ?? []
      const followed = new Set(all.map(({ previous }) => previous))
      return all.findLast(({ hashes }) => !hashes.some((hash) => followed.has(hash)))?.sha256 ?? null
    },
  }
}

/** An id of an integration, and the ids that it had before, oldest first. */
export interface Renaming {
  readonly integration: string
  readonly renamedFrom: readonly string[]
}

/**
 * Joins the ids of one integration, which it had one after the other.
 *
 * @returns a function that returns the same id for all ids of an integration
 */
export function joinIds(renamings: readonly Renaming[]): (integration: string) => string {
  const joined = new Map<string, string>()
  const rootOf = (integration: string): string => {
    let root = integration
    for (let next = joined.get(root); next !== undefined; next = joined.get(root)) root = next
    // Without this shortcut, a long chain of ids would be followed again for each pack.
    if (root !== integration) joined.set(integration, root)
    return root
  }
  for (const { integration, renamedFrom } of renamings)
    for (const from of renamedFrom) {
      const [root, other] = [rootOf(integration), rootOf(from)]
      if (root !== other) joined.set(other, root)
    }
  return rootOf
}

function keyOf({ manifestSha256, purgedAt, purgedBy }: ListedPurge): string {
  return JSON.stringify([manifestSha256, purgedAt, purgedBy])
}

function finding(message: string): Finding {
  return { file: 'chain', message }
}

/** A purge that a manifest lists. The file `purged.json` of the purged pack has the same time and user. */
export interface ListedPurge {
  readonly manifestSha256: string
  readonly purgedAt: string
  readonly purgedBy: string
}

/** Returns the id that a manifest names, and the former ids that it lists. */
export function renamedIn({ integration, renamed }: Manifest): Renaming {
  return { integration, renamedFrom: renamed.map(({ from }) => from) }
}

/** The parts of a pack's manifest that are needed to check the other packs of the folder. */
export type Link = ReturnType<typeof linkOf>

/**
 * Returns the link of a pack.
 *
 * @param follows SHA-256 of a manifest whose pack is not here: a pack that follows it counts as the first
 */
export function linkOf(folder: string, sha256: string, manifest: Manifest, follows: string | null = null) {
  const { supersedes, alsoSupersedes, run, previousManifestSha256 } = manifest
  return {
    ...renamedIn(manifest),
    folder,
    run,
    sha256,
    // A rewritten pack has had several manifests, and a later pack may name any of them.
    hashes: [sha256, ...(supersedes === undefined ? [] : [supersedes]), ...alsoSupersedes],
    previous: previousManifestSha256 === follows ? null : previousManifestSha256,
    landedAt: manifest.appliedAt ?? null,
    finishedAt: manifest.finishedAt ?? null,
    purged: manifest.purges.flatMap(({ packs, purgedAt, purgedBy }) =>
      packs.map(({ manifestSha256 }) => ({ manifestSha256, purgedAt, purgedBy })),
    ),
    // Packs that the database did not know during the run. A pack in a gap may follow the same pack as
    // another pack does.
    gap: (manifest.gap?.packs ?? []).flatMap(({ manifestSha256 }) => manifestSha256 ?? []),
  }
}
