import { countSeen } from '../../../loaders/staging/incoming.ts'
import type { KnownVersions } from '../../../loaders/staging/known-versions.ts'
import type { SavedReading } from '../../../loaders/staging/readings.ts'
import type { SuppressionFilter } from '../../../transforms/rules/people.ts'
import type { RunContext } from '../../context/run-context.ts'
import {
  type PlannedReading,
  type Reading,
  type SourceResource,
  UnfitChangesError,
} from '../../sources/contract/source.ts'
import { readResource } from '../resource/read-resource.ts'
import { lookForMisses, NOT_LOOKED_FOR } from './look-for-misses.ts'

/** If only changes are to be read, adds the search for changes to the request of a resource. */
export function askedFor(resource: SourceResource, planned: PlannedReading | undefined): SourceResource {
  return planned === undefined || planned.full !== null || planned.since === null
    ? resource
    : { ...resource, search: { changedSince: planned.since } }
}

/**
 * Reads the changes of a resource. Reads all records if that was planned, or if the answer to the search for
 * changes cannot be right.
 *
 * @param saved part of a reading whose run died
 * @param known current versions of records, whose values a full reading need not read again; null if it must
 *   read every value
 * @throws ReadError with the resource and the page
 */
export async function readPlanned(
  run: RunContext,
  resource: SourceResource,
  planned: PlannedReading,
  saved: SavedReading | null,
  filter: SuppressionFilter | null,
  known: KnownVersions | null,
): Promise<Reading> {
  const { since } = planned
  if (planned.full !== null || since === null) {
    const reading = await readResource(run, resource, saved, filter, known)
    return readInFull(run, reading, planned, filter)
  }
  try {
    const reading = await readResource(run, askedFor(resource, planned), saved, filter)
    if (reading.certified) await requireWhole(run, reading, planned)
    const changes = { ...NOT_LOOKED_FOR, planned, since, full: null, isUnusual: false }
    return { ...reading, resource, changes }
  } catch (error) {
    if (!(error instanceof UnfitChangesError)) throw error
    const full = `the answer to the query for changes since ${since} cannot be used: ${error.message}`
    const reading = await readResource(run, resource, null, filter)
    return readInFull(run, reading, { ...planned, full, isUnusual: true }, filter)
  }
}

/** Adds to a full reading the result of the search for records that earlier readings by changes missed. */
export async function readInFull(
  run: RunContext,
  reading: Reading,
  planned: PlannedReading,
  filter: SuppressionFilter | null,
): Promise<Reading> {
  const { full, isUnusual } = planned
  const found = await lookForMisses(run, reading, planned, filter)
  return { ...reading, changes: { ...found, planned, since: null, full, isUnusual } }
}

/**
 * Checks that the answer to a search for changes is plausible.
 *
 * @throws UnfitChangesError if the last changed record that is already known is not in the answer, or if a
 *   record came twice
 */
async function requireWhole(
  run: RunContext,
  { incoming }: Reading,
  { markId }: PlannedReading,
): Promise<void> {
  const { isThere, repeated } = await countSeen(run.database.kysely, incoming, markId ?? '')
  if (repeated > 0) throw new UnfitChangesError('a record came twice')
  if (!isThere) throw new UnfitChangesError('the record that changed last is not among them')
}
