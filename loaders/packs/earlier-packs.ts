import { hash } from 'node:crypto'
import { join } from 'node:path'
import { ofRun } from '../../sql/conditions.ts'
import { countChanges, type Db, type RunKey } from '../../sql/tables.ts'
import { readIfThere } from '../files/read.ts'
import type { RunRecord } from '../ledger/ledger.ts'
import type { ListedFile } from './csv-files/csv.ts'
import { MANIFEST_FILE, PACK_FORMAT, parseManifest } from './csv-files/pack-format.ts'
import { withDetails } from './details.ts'

/**
 * The previous pack of an integration, for a run that changed nothing, if the previous run changed nothing
 * either.
 */
export interface PackBefore {
  readonly folder: string
  readonly files: ReadonlyMap<string, ListedFile>
  /**
   * Files of the previous pack that certainly have the same bytes in the new pack. The new pack gets a hard
   * link to each unchanged file.
   */
  readonly unchanged: ReadonlySet<string>
}

/**
 * Finds the previous pack if the new pack can reuse its files. Files can be reused if neither run changed
 * anything, and both runs have equal settings and the same product version.
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
    .where('pack_purged_at', 'is', null)
    .selectAll()
    .executeTakeFirst()
  if (before === undefined || settingsOf(before) !== settingsOf(run)) return null
  const unchanged = await findUnchanged(db, run, before)
  if (unchanged === null) return null
  const folder = folderOf(before.run_id)
  const bytes = bytesOf(join(folder, MANIFEST_FILE))
  if (bytes === null || hash('sha256', bytes) !== sha256) return null
  const own = parseManifest(bytes)
  if (own?.format !== PACK_FORMAT) return null
  const { manifest } = withDetails(folder, own)
  if (manifest === null) return null
  return { folder, files: new Map(manifest.files.map((file) => [file.name, file])), unchanged }
}

/**
 * Finds the first run that found the same as this run: the same figures and control totals with the same
 * configuration, and nothing to change, to withhold or to quarantine. The report of that run describes this run
 * too. The answer depends only on the list of runs, so it stays the same if the pack is written again later.
 *
 * @returns null if no earlier run found the same
 */
export async function findSameRun(db: Db, run: RunRecord): Promise<string | null> {
  const { integration_id: integrationId, run_id: runId, figures_of: figuresOf, finished_at: finishedAt } = run
  if (figuresOf === null || finishedAt === null || !isQuiet(run)) return null
  const same = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', '>=', figuresOf)
    .where('run_id', '<', runId)
    .where((eb) => eb(eb.fn.coalesce('figures_of', 'run_id'), '=', figuresOf))
    .where('manifest_sha256', 'is not', null)
    // The sums of a failed run do not close, and neither do those of a run with the same figures.
    .where('status', '=', 'finished')
    // A plan that was approved late has a lower id than runs that ended before it.
    .where('finished_at', '<=', finishedAt)
    .where('config_hash', '=', run.config_hash)
    .where('product_version', '=', run.product_version)
    .orderBy('run_id')
    .limit(1)
    .selectAll()
    .executeTakeFirst()
  return same !== undefined && settingsOf(same) === settingsOf(run) ? same.run_id : null
}

/** Returns true if the report of a run has nothing that needs attention. */
function isQuiet({ certified, held, gap, counts }: RunRecord): boolean {
  if (certified !== true || held !== null || gap !== null || counts === null) return false
  const { changes, quarantined, withheld = 0, notes = [] } = counts
  return countChanges(changes) + quarantined + withheld + notes.length === 0
}

/**
 * Reads a file; returns null if the file is missing or cannot be read. If the previous manifest cannot be
 * read, the caller writes all files of the new pack.
 */
function bytesOf(path: string): Buffer | null {
  try {
    return readIfThere(path)
  } catch {
    return null
  }
}

function settingsOf(run: RunRecord): string {
  const { contents, custom, excel, personal_data, product_version, time_zone } = run
  return JSON.stringify([contents, custom, excel, personal_data, product_version, time_zone])
}

async function findUnchanged(
  db: Db,
  { integration_id: integrationId, run_id: runId, figures_of: figuresOf }: RunRecord,
  { run_id: before, figures_of: figuresOfBefore }: RunRecord,
): Promise<ReadonlySet<string> | null> {
  // A user may approve a plan after later runs. The pack of a plan that was approved late describes an
  // earlier state than the previous pack.
  const earlier = before < runId ? before : runId
  const { changed, items, sessions, decisions, rejected } = await db
    .selectNoFrom((eb) => {
      const ofBoth = (table: 'sync.changes' | 'sync.unstaged') =>
        eb.exists(
          eb
            .selectFrom(table)
            .where('integration_id', '=', integrationId)
            .where('run_id', 'in', [before, runId])
            .select('run_id'),
        )
      // The two conditions are separate so that PostgreSQL can use an index for each.
      const since = (table: 'sync.desired_items' | 'sync.decisions' | 'staging.b_sessions') =>
        eb.or(
          (['valid_from_run', 'valid_to_run'] as const).map((end) =>
            eb.exists(
              eb
                .selectFrom(table)
                .where('integration_id', '=', integrationId)
                .where(end, '>', earlier)
                .select('integration_id'),
            ),
          ),
        )
      return [
        ofBoth('sync.changes').as('changed'),
        since('sync.desired_items').as('items'),
        since('staging.b_sessions').as('sessions'),
        since('sync.decisions').as('decisions'),
        // The pack lists an unstaged record with its position in the read, and this position can differ from
        // run to run.
        ofBoth('sync.unstaged').as('rejected'),
      ]
    })
    .executeTakeFirstOrThrow()
  if (changed) return null
  return new Set([
    'changes.csv',
    'load_results.csv',
    ...(figuresOf === (figuresOfBefore ?? before) ? ['reconciliation.csv'] : []),
    ...(items ? [] : ['attendees.csv', 'speakers.csv']),
    // A session may have got another time zone, although its item is the same.
    ...(items || sessions ? [] : ['agenda.csv']),
    ...(decisions || rejected ? [] : ['decisions.csv']),
  ])
}

/** A manifest that was replaced when the pack was rewritten to erase a person. */
export interface SupersededManifest {
  readonly place: number
  readonly sha256: string
  readonly manifest: string
  readonly details: string
  readonly signature: string | null
}

/** Returns the name of the file in which a pack keeps a superseded manifest or its signature. */
export function supersededFile(place: number, extension: 'json' | 'sig'): string {
  return `manifest.superseded-${place}.${extension}`
}

/** Returns the name of the file in which a pack keeps the details of a superseded manifest. */
export function supersededDetails(place: number): string {
  return `details.superseded-${place}.json`
}

export const SUPERSEDED_FILE = /^(?:manifest\.superseded-\d+\.(?:json|sig)|details\.superseded-\d+\.json)$/

/**
 * Returns the manifest keys that list the hashes of the superseded manifests of a pack. The hashes of
 * superseded manifests are kept because later packs may refer to them.
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
    .select(['place', 'sha256', 'manifest', 'details', 'signature'])
    .execute()
}

export async function keepSuperseded(
  transaction: Db,
  { integrationId, runId }: RunKey,
  { place, sha256, manifest, details, signature }: SupersededManifest,
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
      details,
      signature,
      superseded_at: at,
    })
    .execute()
}
