import {
  countSeen,
  dropIncomingTable,
  type IncomingName,
  incomingName,
  NOTHING_INCOMING,
  openIncoming,
} from '../../loaders/staging/incoming.ts'
import type { SavedReading } from '../../loaders/staging/readings.ts'
import { countSearchable, findMisses, NOTHING_MISSED } from '../../transforms/history/misses.ts'
import type { SuppressionFilter } from '../../transforms/rules/forgotten.ts'
import type { RunContext } from '../context/run-context.ts'
import type { PlannedReading, ReadByChanges, Reading } from '../sources/contract/certificate.ts'
import { type Resource, UnfitChangesError, UnprovedError } from '../sources/contract/source.ts'
import { pageReader } from './page-reader.ts'
import { readResource } from './read-resource.ts'
import { readToProof } from './read-to-proof.ts'

/** The resource with its search, where only what changed is to be read. */
export function askedFor(resource: Resource, planned: PlannedReading | undefined): Resource {
  return planned === undefined || planned.full !== null || planned.since === null
    ? resource
    : { ...resource, search: { changedSince: planned.since } }
}

/**
 * Reads what changed of a resource; all of it where that was planned, or where the answer cannot be what changed.
 *
 * @param saved reading of a run that died
 * @throws ReadError naming resource and page
 */
export async function readPlanned(
  run: RunContext,
  resource: Resource,
  planned: PlannedReading,
  saved: SavedReading | null,
  filter: SuppressionFilter | null,
): Promise<Reading> {
  const { since } = planned
  if (planned.full !== null || since === null) {
    const reading = await readResource(run, resource, saved, filter)
    return readInFull(run, reading, planned, filter)
  }
  try {
    const reading = await readResource(run, askedFor(resource, planned), saved, filter)
    if (reading.certified) await requireWhole(run, reading, planned)
    const changes = { ...NOT_LOOKED_FOR, planned, since, full: null, isUnusual: false }
    return { ...reading, resource, changes }
  } catch (error) {
    if (!(error instanceof UnfitChangesError)) throw error
    const full = `the answer to what changed since ${since} was given up: ${error.message}`
    const reading = await readResource(run, resource, null, filter)
    return readInFull(run, reading, { ...planned, full, isUnusual: true }, filter)
  }
}

/** A full reading, with what it says of the readings of changes before it. */
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

/** @throws UnfitChangesError where a record that must be among those that changed is not, or one came twice */
async function requireWhole(
  run: RunContext,
  { incoming }: Reading,
  { markId }: PlannedReading,
): Promise<void> {
  const { isThere, repeated } = await countSeen(run.database.kysely, incoming, markId ?? '')
  if (repeated > 0) throw new UnfitChangesError('a record came twice')
  if (!isThere) throw new UnfitChangesError('the record that changed last is not among them')
}

type FoundMisses = Pick<ReadByChanges, 'missed' | 'brought'>

const NOT_LOOKED_FOR: FoundMisses = { missed: NOTHING_MISSED, brought: 0 }

/**
 * Looks in a full reading for new or changed records that the next reading of changes would not have brought: so each full
 * reading proves the readings of changes before it.
 *
 * @throws ReadError naming resource and page
 */
async function lookForMisses(
  run: RunContext,
  { resource, incoming }: Reading,
  { since, comparedKeys }: PlannedReading,
  filter: SuppressionFilter | null,
): Promise<FoundMisses> {
  if (since === null || comparedKeys === null) return NOT_LOOKED_FOR
  const db = run.database.kysely
  const compared = {
    integrationId: run.integrationId,
    table: resource.table,
    incoming,
    since,
    asked: resource.keys,
    ignored: notInBoth(resource.keys, comparedKeys),
  }
  if ((await countSearchable(db, compared)) === 0) return findMisses(db, compared, null)
  const name = incomingName(run.runId, `${resource.name}_searched`)
  try {
    const isRead = await search(run, { ...resource, search: { changedSince: since } }, name, filter)
    return await findMisses(db, compared, isRead ? name : null)
  } finally {
    await dropIncomingTable(db, name)
  }
}

function notInBoth(one: readonly string[], other: readonly string[]): readonly string[] {
  const [ones, others] = [new Set(one), new Set(other)]
  return [...one.filter((key) => !others.has(key)), ...other.filter((key) => !ones.has(key))]
}

/** @returns false where the source has no such search, or its answer proves nothing */
async function search(
  run: RunContext,
  resource: Resource,
  name: IncomingName,
  filter: SuppressionFilter | null,
): Promise<boolean> {
  const found = await openIncoming(run.database, name, resource)
  const log = { attempt: () => undefined, read: () => undefined }
  const readPage = pageReader(run, resource, found, log, filter)
  try {
    await readToProof(run.connected.source, resource, {
      readPage: (what, ...page) => readPage(`${what} of what changed`, ...page),
      restart: () => found.rewind(NOTHING_INCOMING),
    })
    await found.commit()
    return true
  } catch (error) {
    if (error instanceof UnprovedError || error instanceof UnfitChangesError) return false
    throw error
  } finally {
    await found.close()
  }
}
