import { hash } from 'node:crypto'
import { join } from 'node:path'
import { ofRun } from '../../sql/conditions.ts'
import type { Db, RunKey } from '../../sql/tables.ts'
import { readIfThere } from '../files/read.ts'
import type { RunRecord } from '../ledger/ledger.ts'
import type { ListedFile } from './csv-files/csv.ts'
import { MANIFEST_FILE, PACK_FORMAT, parseManifest } from './csv-files/pack-format.ts'

/** The previous pack, for runs that changed nothing after a run that changed nothing. */
export interface PackBefore {
  readonly folder: string
  readonly files: ReadonlyMap<string, ListedFile>
  /** Files that certainly have the same bytes in this pack, so that they are linked without being written. */
  readonly unchanged: ReadonlySet<string>
}

/**
 * Finds the previous pack if its files may be reused: neither run changed anything, and both have the same
 * settings and the same version of the product.
 */
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

/** Reads a file; null if it is missing or cannot be read. Then all files are written again. */
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
  // A plan may be applied after later runs. Then its pack describes an earlier state than the previous pack.
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
      // Two conditions, so that each can use its own index.
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
        // An unstaged record is listed with its position in the read, which can differ from run to run.
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

/** A manifest that was replaced when its pack was rewritten to erase a person. */
export interface SupersededManifest {
  readonly place: number
  readonly sha256: string
  readonly manifest: string
  readonly signature: string | null
}

/** Returns the name of the file in which a pack keeps a superseded manifest or its signature. */
export function supersededFile(place: number, extension: 'json' | 'sig'): string {
  return `manifest.superseded-${place}.${extension}`
}

export const SUPERSEDED_FILE = /^manifest\.superseded-\d+\.(?:json|sig)$/

/**
 * Returns the manifest keys with the hashes of the manifests that this manifest supersedes. Later packs may
 * refer to these hashes.
 */
export function supersedes(before: readonly SupersededManifest[]): Readonly<Record<string, unknown>> {
  const [last, ...older] = before.toReversed().map(({ sha256 }) => sha256)
  if (last === undefined) return {}
  return { supersedes: last, ...(older.length === 0 ? {} : { alsoSupersedes: older }) }
}

/** Reads the superseded manifests of a run's pack, oldest first. */
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
