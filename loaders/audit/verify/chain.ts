import { basename } from 'node:path'
import type { Finding } from './finding.ts'
import type { FoundManifest } from './found-manifest.ts'

/** Hashes by which later packs may name one: that of its manifest, and of those that it had before. */
export function hashesOf({ sha256, manifest }: FoundManifest): readonly string[] {
  const { supersedes, alsoSupersedes = [] } = manifest ?? {}
  return [sha256, ...(supersedes === undefined ? [] : [supersedes]), ...alsoSupersedes]
}

/**
 * Follows the chain from a pack back to the first, over the packs beside it: each manifest holds the hash of the one
 * before, no two the same, and one holds none. The order of run ids tells nothing: a plan may be approved late.
 *
 * @param beside packs in the same folder, this one among them
 */
export function checkChain(pack: FoundManifest, beside: readonly FoundManifest[]): readonly Finding[] {
  const { manifest } = pack
  if (manifest === null) return []
  const found: Finding[] = []
  const link = (message: string) => found.push({ file: 'chain', message })
  const folder = basename(pack.folder)
  if (folder !== manifest.run) link(`run ${manifest.run} stands in a folder named ${JSON.stringify(folder)}`)
  const { own, strangers } = sortOut(beside, manifest.integration)
  for (const stranger of strangers)
    link(`run ${stranger} stands beside run ${manifest.run}, but is of another integration`)

  const byHash = new Map(own.flatMap((one) => hashesOf(one).map((hash) => [hash, one] as const)))
  const followers = new Map<string | null, FoundManifest[]>()
  for (const one of new Set(byHash.values())) {
    const previous = one.manifest?.previousManifestSha256 ?? null
    followers.set(previous, [...(followers.get(previous) ?? []), one])
  }
  for (let at = pack; at.manifest !== null; ) {
    const { run, previousManifestSha256: previous } = at.manifest
    const rivals = (followers.get(previous) ?? []).filter(({ sha256 }) => sha256 !== at.sha256)
    const before = previous === null ? undefined : byHash.get(previous)
    for (const { manifest: rival } of rivals) {
      const what = previous === null ? 'both say that they are the first' : 'both follow the same pack'
      link(`run ${run} and run ${rival?.run} ${what}`)
    }
    if (previous === null) return found
    if (before === undefined) {
      link(
        `run ${run} follows a pack that is not beside it, or whose manifest was changed (SHA-256 ${previous})`,
      )
      return found
    }
    at = before
  }
  return found
}

/** Packs of the integration, and runs of others among them. */
function sortOut(beside: readonly FoundManifest[], integration: string) {
  const readable = beside.filter(({ manifest }) => manifest !== null)
  return {
    own: readable.filter(({ manifest }) => manifest?.integration === integration),
    strangers: readable.flatMap(({ manifest }) =>
      manifest === null || manifest.integration === integration ? [] : manifest.run,
    ),
  }
}

/**
 * SHA-256 of the manifest at the end of the chain of an integration, which no other follows; null where there is no pack.
 */
export function endOfChain(beside: readonly FoundManifest[], integration: string): string | null {
  const { own } = sortOut(beside, integration)
  const followed = new Set(own.map(({ manifest }) => manifest?.previousManifestSha256))
  const ends = own.filter((one) => !hashesOf(one).some((hash) => followed.has(hash)))
  return ends.at(-1)?.sha256 ?? null
}
