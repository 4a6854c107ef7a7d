import { formatOf } from '../audit/csv-files/format.ts'
import type { Manifest } from '../audit/csv-files/manifest.ts'

/** That a pack was purged, when and by whom: its own note says the same. */
export interface ListedPurge {
  readonly manifestSha256: string
  readonly purgedAt: string
  readonly purgedBy: string
}

/** What the others in a folder need to know of a pack. */
export type Link = ReturnType<typeof linkOf>

export function linkOf(folder: string, sha256: string, manifest: Manifest) {
  const { supersedes, alsoSupersedes, integration, run } = manifest
  return {
    folder,
    integration,
    run,
    sha256,
    // Later packs may name any of the manifests that it has had.
    hashes: [sha256, ...(supersedes === undefined ? [] : [supersedes]), ...alsoSupersedes],
    previous: manifest.previousManifestSha256,
    format: formatOf(manifest),
    finishedAt: manifest.finishedAt ?? null,
    purged: manifest.purges.flatMap(({ packs, purgedAt, purgedBy }) =>
      packs.map(({ manifestSha256 }) => ({ manifestSha256, purgedAt, purgedBy })),
    ),
    // Packs that its database did not know: they may follow the same pack as others do.
    gap: (manifest.gap?.packs ?? []).flatMap(({ manifestSha256 }) => manifestSha256 ?? []),
  }
}
