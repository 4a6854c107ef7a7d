import {
  dropIncomingTable,
  incomingName,
  NOTHING_INCOMING,
  openIncoming,
} from '../../../loaders/staging/incoming.ts'
import { findEnds } from '../../../loaders/staging/missing.ts'
import {
  type ComparedReading,
  countSearchable,
  findMisses,
  findUnbrought,
  NOTHING_MISSED,
} from '../../../transforms/history/misses.ts'
import type { SuppressionFilter } from '../../../transforms/rules/people.ts'
import type { RunContext } from '../../context/run-context.ts'
import { ReadError } from '../../http/read-error.ts'
import {
  type PlannedReading,
  type ReadByChanges,
  type Reading,
  type RecordSink,
  type SourceResource,
  UnfitChangesError,
} from '../../sources/contract/source.ts'
import { askForIds, isUnusable, triedLess } from '../resource/ask-for-ids.ts'
import { pageReader, type ReadingLog, readToProof } from '../resource/page-reader.ts'
import { stagedKeys } from './mark.ts'

/** Records that earlier readings by changes had missed and that a full reading found. */
export type FoundMisses = Pick<ReadByChanges, 'missed' | 'brought' | 'unbrought' | 'searchFault'>

export const NOT_LOOKED_FOR: FoundMisses = {
  missed: NOTHING_MISSED,
  brought: 0,
  unbrought: [],
  searchFault: null,
}

/**
 * Searches a full reading for new or changed records that a reading by changes would not have returned. Each
 * full reading thereby checks the readings by changes before it. If an earlier search of this run did not
 * return a record, the record still counts as missed.
 */
export async function lookForMisses(
  run: RunContext,
  reading: Reading,
  { since, comparedKeys }: PlannedReading,
  filter: SuppressionFilter | null,
): Promise<FoundMisses> {
  if (since === null || comparedKeys === null) return NOT_LOOKED_FOR
  const { resource, incoming, changes } = reading
  const db = run.database.kysely
  const wasAsked = new Set(comparedKeys)
  const compared = {
    integrationId: run.integrationId,
    table: resource.table,
    incoming,
    since,
    compared: stagedKeys(resource).filter((key) => wasAsked.has(key)),
  }
  const before = new Set(changes?.unbrought)
  const isSearched = (await countSearchable(db, compared)) > 0
  const { lacking, searchFault } = isSearched ? await search(run, reading, compared, filter) : NOT_SEARCHED
  const doubtful = lacking.filter((id) => !before.has(id))
  const unbrought = [...before, ...(await findStillThere(run, reading, doubtful, filter))]
  return { ...(await findMisses(db, compared, unbrought)), unbrought, searchFault }
}

interface Searched {
  /** Ids of new or changed records that the search of the source did not return. */
  readonly lacking: readonly string[]
  readonly searchFault: string | null
}

const NOT_SEARCHED: Searched = { lacking: [], searchFault: null }

/**
 * Searches the source for changed records, as the next reading by changes would. The search stops at the
 * first record that was changed before the requested time.
 */
async function search(
  run: RunContext,
  { resource: { search: _, ...resource } }: Reading,
  compared: ComparedReading,
  filter: SuppressionFilter | null,
): Promise<Searched> {
  const { database, runId, connected } = run
  const name = incomingName(runId, `${resource.name}_searched`)
  const asked = { ...resource, search: { changedSince: compared.since } }
  const context = { ...run, retries: triedLess(run.retries) }
  try {
    const found = await openIncoming(database, name, resource)
    try {
      const readPage = pageReader(context, asked, notOlder(found, compared.since), NO_LOG, filter)
      await readToProof(connected.source, asked, {
        readPage: (what, ...page) => readPage(`${what} of what changed`, ...page),
        restart: () => found.rewind(NOTHING_INCOMING),
      })
      await found.commit()
    } finally {
      await found.close()
    }
    return { lacking: await findUnbrought(database.kysely, compared, name), searchFault: null }
  } catch (error) {
    if (!isUnusable(error)) throw error
    return { lacking: [], searchFault: whatOf(error) }
  } finally {
    await dropIncomingTable(database.kysely, name)
  }
}

const NO_LOG: ReadingLog = { attempt: () => undefined, read: () => undefined }

/**
 * Throws an error at a record that was changed before the requested time. A record that was changed before
 * the requested time shows that the source ignored this time.
 */
function notOlder(sink: RecordSink, since: string): RecordSink {
  return {
    ...sink,
    add(row) {
      const { changedAt = null, isForgotten = false } = row
      if (!isForgotten && changedAt !== null && changedAt < since)
        throw new UnfitChangesError('the answer has a record that was changed before that')
      return sink.add(row)
    },
  }
}

/** Returns the message of the original failure, without the page and the hint. */
function whatOf(error: Error): string {
  const { cause } = error
  return cause instanceof ReadError ? whatOf(cause) : error instanceof ReadError ? error.what : error.message
}

/**
 * Returns the ids of the given records that the source still has. A search cannot return a record that was
 * deleted after the full reading.
 */
async function findStillThere(
  run: RunContext,
  { resource, incoming, requests }: Reading,
  ids: readonly string[],
  filter: SuppressionFilter | null,
): Promise<readonly string[]> {
  if (ids.length === 0) return []
  const known = await findEnds(run.database.kysely, incoming)
  const sought = { ids, known, mostQuestions: requests }
  const came = await askForIds(run, resource, sought, filter, NO_LOG, NO_RECORDS)
  if (came !== null) return ids.filter((id) => came.has(id))
  return findByReading(run, resource, ids, filter)
}

const NO_RECORDS: RecordSink = {
  add: () => undefined,
  totals: () => NOTHING_INCOMING,
  rewind: async () => undefined,
}

/**
 * Finds the records that the source still has by reading the whole resource again. If this reading is not
 * complete either, each record is treated as still there.
 */
async function findByReading(
  run: RunContext,
  resource: SourceResource,
  ids: readonly string[],
  filter: SuppressionFilter | null,
): Promise<readonly string[]> {
  const sought = new Set(ids)
  const there = new Set<string>()
  const sink: RecordSink = {
    ...NO_RECORDS,
    add(row) {
      if (row.sourceId !== null && sought.has(row.sourceId)) there.add(row.sourceId)
      return undefined
    },
  }
  const readPage = pageReader({ ...run, retries: triedLess(run.retries) }, resource, sink, NO_LOG, filter)
  try {
    await readToProof(run.connected.source, resource, {
      readPage: (what, ...page) => readPage(`${what} of what may be missing`, ...page),
      restart: async () => there.clear(),
    })
    return [...there]
  } catch (error) {
    if (!isUnusable(error)) throw error
    return ids
  }
}
