import { ofRun } from '../../sql/conditions.ts'
import type { Db, RunKey } from '../../sql/tables.ts'

/** A manifest that another one took the place of, since its pack was written again without somebody. */
export interface SupersededManifest {
  readonly place: number
  readonly sha256: string
  /** Null where it held a value of the person. */
  readonly manifest: string | null
  readonly signature: string | null
}

/** File of a pack that keeps such a manifest, or its signature. */
export function supersededFile(place: number, extension: 'json' | 'sig'): string {
  return `manifest.superseded-${place}.${extension}`
}

export const SUPERSEDED_FILE = /^manifest\.superseded-\d+\.(?:json|sig)$/

/** What a manifest says of those before it: the chain goes on over their hashes. */
export function supersedes(before: readonly SupersededManifest[]): Readonly<Record<string, unknown>> {
  const [last, ...older] = before.toReversed().map(({ sha256 }) => sha256)
  if (last === undefined) return {}
  return { supersedes: last, ...(older.length === 0 ? {} : { alsoSupersedes: older }) }
}

/** Manifests that the pack of a run has had before, the oldest first. */
export function findSuperseded(db: Db, run: RunKey): Promise<readonly SupersededManifest[]> {
  return db
    .selectFrom('sync.superseded_manifests')
    .$call(ofRun(run))
    .orderBy('place')
    .select(['place', 'sha256', 'manifest', 'signature'])
    .execute()
}

export async function keepSuperseded(
  transaction: Db,
  { integrationId, runId }: RunKey,
  { place, sha256, manifest, signature }: SupersededManifest,
  at: string,
): Promise<void> {
  await transaction
    .insertInto('sync.superseded_manifests')
    .values({
      integration_id: integrationId,
      run_id: runId,
      place,
      sha256,
      manifest,
      signature,
      superseded_at: at,
    })
    .execute()
}
