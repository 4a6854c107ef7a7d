import { z } from 'zod'
import { PURGED_FILE } from '../pack-files.ts'
import { readSmallFile } from './files.ts'
import type { Finding } from './finding.ts'
import type { FoundManifest } from './found-manifest.ts'

const purgedSchema = z.object({
  purgedAt: z.iso.datetime(),
  purgedBy: z.string(),
  manifestSha256: z.string(),
})

/** When a pack was purged, of which only the manifest is left; null where it was not. */
export async function readPurged(folder: string): Promise<z.output<typeof purgedSchema> | null> {
  const text = await readSmallFile(folder, PURGED_FILE)
  if (text === null) return null
  try {
    return purgedSchema.parse(JSON.parse(text))
  } catch {
    return { purgedAt: '', purgedBy: '', manifestSha256: '' }
  }
}

/**
 * Looks whether it was `purge` that took the files of a pack: a pack that was written later says so in its manifest.
 *
 * @param beside packs in the same folder
 */
export function checkPurged(
  pack: FoundManifest,
  { purgedAt, manifestSha256 }: z.output<typeof purgedSchema>,
  beside: readonly FoundManifest[],
): readonly Finding[] {
  const finding = (message: string) => [{ file: PURGED_FILE, message }]
  if (manifestSha256 !== pack.sha256) return finding('is not of this manifest')
  const manifests = beside.flatMap(({ manifest }) => (manifest === null ? [] : [manifest]))
  const isTold = manifests.some(({ purges }) =>
    purges.some(({ packs }) => packs.some((one) => one.manifestSha256 === pack.sha256)),
  )
  const isTellable = manifests.some(({ finishedAt }) => finishedAt != null && finishedAt > purgedAt)
  return isTold || !isTellable
    ? []
    : finding(`says that the pack was purged at ${purgedAt}, and no later pack does`)
}
