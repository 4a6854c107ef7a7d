import { hash } from 'node:crypto'
import { join } from 'node:path'
import { ofRun } from '../../sql/conditions.ts'
import type { Db, RunKey } from '../../sql/tables.ts'
import { readIfThere } from '../files/read.ts'
import type { RunRecord } from '../ledger/ledger.ts'
import type { ListedFile } from './csv-files/csv.ts'
import { MANIFEST_FILE, PACK_FORMAT, parseManifest } from './csv-files/pack-format.ts'

/** The pack of a run before that changed nothing, as nothing did this time either. */
export interface PackBefore {
  readonly folder: string
  readonly files: ReadonlyMap<string, ListedFile>
  /** Files that are certain to have the same bytes now, so that they need not be written to be compared. */
  readonly unchanged: ReadonlySet<string>
}

/** Finds the pack before where neither run changed anything, and version and settings are the same: its CSV files may be reused. */
export async function findPackBefore(
  db: Db,
  run: RunRecord,
  folderOf: (runId: string) => string,
): Promise<PackBefore | null> {
  const { integration_id: integrationId, previous_manifest_sha256: sha256 } = run
  const before = await db
    .selectFrom('sync.runs')
    .where(({ and }) => and({ integration_id: integrationId, manifest_sha256: sha256 }))
    .where('reissue_due', '=', false)
    .where('purged_at', 'is', null)
    .selectAll()
    .executeTakeFirst()
  if (before === undefined || settingsOf(before) !== settingsOf(run)) return null
  const unchanged = await findUnchanged(db, run, before)
  if (unchanged === null) return null
  const folder = folderOf(before.run_id)
  const bytes = bytesOf(join(folder, MANIFEST_FILE))
  if (bytes === null || hash('sha256', bytes) !== sha256) return null
  const manifest = parseManifest(bytes)
  if (manifest?.format !== PACK_FORMAT) return null
  return { folder, files: new Map(manifest.files.map((file) => [file.name, file])), unchanged }
}

/** Whatever is wrong with that pack, the files are written then. */
function bytesOf(path: string): Buffer | null {
  try {
    return readIfThere(path)
  } catch {
    return null
  }
}

function settingsOf({ contents, custom, excel, personal_data, product_version }: RunRecord): string {
  return JSON.stringify([contents, custom, excel, personal_data, product_version])
}

async function findUnchanged(
  db: Db,
  { integration_id: integrationId, run_id: runId, figures_of: figuresOf }: RunRecord,
  { run_id: before, figures_of: figuresOfBefore }: RunRecord,
): Promise<ReadonlySet<string> | null> {
  // A plan may be applied after later runs: then its pack is of an earlier state than the pack before.
  const earlier = before < runId ? before : runId
  const { changed, items, decisions, rejected } = await db
    .selectNoFrom((eb) => {
      const ofBoth = (table: 'sync.changes' | 'sync.unstaged') =>
        eb.exists(
          eb
            .selectFrom(table)
            .where('integration_id', '=', integrationId)
            .where('run_id', 'in', [before, runId])
            .select('run_id'),
        )
      // Each end by its own index.
      const since = (table: 'sync.desired_items' | 'sync.decisions') =>
        eb.or(
          (['valid_from_run', 'valid_to_run'] as const).map((end) =>
            eb.exists(
              eb
                .selectFrom(table)
                .where('integration_id', '=', integrationId)
                .where(end, '>', earlier)
                .select('content'),
            ),
          ),
        )
      return [
        ofBoth('sync.changes').as('changed'),
        since('sync.desired_items').as('items'),
        since('sync.decisions').as('decisions'),
        // A record that was rejected has its place among those that were read, which is another one in each run.
        ofBoth('sync.unstaged').as('rejected'),
      ]
    })
    .executeTakeFirstOrThrow()
  if (changed) return null
  return new Set([
    'changes.csv',
    'load_results.csv',
    ...(figuresOf === (figuresOfBefore ?? before) ? ['reconciliation.csv'] : []),
    ...(items ? [] : ['agenda.csv', 'attendees.csv', 'speakers.csv']),
    ...(decisions || rejected ? [] : ['decisions.csv']),
  ])
}

/** A manifest that another one took the place of, since its pack was written again without someone. */
export interface SupersededManifest {
  readonly place: number
  readonly sha256: string
  readonly manifest: string
  readonly signature: string | null
}

/** File of a pack that keeps such a manifest, or its signature. */
export function supersededFile(place: number, extension: 'json' | 'sig'): string {
  return `manifest.superseded-${place}.${extension}`
}

export const SUPERSEDED_FILE = /^manifest\.superseded-\d+\.(?:json|sig)$/

/** Returns what a manifest says of those before it: the chain goes on over their hashes. */
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
