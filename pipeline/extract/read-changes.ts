import {
  countSeen,
  dropIncomingTable,
  incomingName,
  NOTHING_INCOMING,
  openIncoming,
} from '../../loaders/staging/incoming.ts'
import type { KnownVersions } from '../../loaders/staging/known-versions.ts'
import {
  type ChangeMark,
  findMarks,
  findUnconfirmedMisses,
  type UnconfirmedMiss,
} from '../../loaders/staging/marks.ts'
import { findEnds } from '../../loaders/staging/missing.ts'
import type { SavedReading } from '../../loaders/staging/readings.ts'
import {
  type ComparedReading,
  countSearchable,
  findMisses,
  findUnbrought,
  NOTHING_MISSED,
} from '../../transforms/history/misses.ts'
import type { SuppressionFilter } from '../../transforms/rules/people.ts'
import { counted } from '../../transforms/texts/counted.ts'
import type { IntegrationConfig } from '../config/config.ts'
import type { RunContext } from '../context/run-context.ts'
import { ReadError } from '../http/read-error.ts'
import { durationMs, type ReadingByChanges, timesAfter } from '../settings/values.ts'
import {
  type PlannedReading,
  type ReadByChanges,
  type Reading,
  type RecordSink,
  type SourceResource,
  UnfitChangesError,
} from '../sources/contract/source.ts'
import { askForIds, isUnusable, triedLess } from './ask-for-ids.ts'
import { pageReader, type ReadingLog, readToProof } from './page-reader.ts'
import { readResource, shapeOf } from './read-resource.ts'

/** The resource with its search, where only what changed is to be read. */
export function askedFor(resource: SourceResource, planned: PlannedReading | undefined): SourceResource {
  return planned === undefined || planned.full !== null || planned.since === null
    ? resource
    : { ...resource, search: { changedSince: planned.since } }
}

/**
 * Reads what changed of a resource; all of it where that was planned, or where the answer cannot be what changed.
 *
 * @param saved reading of a run that died
 * @param known versions that are current, where all is read; null where all of each record is to be read
 * @throws ReadError naming resource and page
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

type FoundMisses = Pick<ReadByChanges, 'missed' | 'brought' | 'unbrought' | 'searchFault'>

const NOT_LOOKED_FOR: FoundMisses = { missed: NOTHING_MISSED, brought: 0, unbrought: [], searchFault: null }

/**
 * Looks in a full reading for new or changed records that the next reading of changes would not have brought: so each full
 * reading proves the readings of changes before it. What an earlier search of this run did not bring stays a miss.
 */
async function lookForMisses(
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

/** Keys whose values are in the documents that are staged. */
export function stagedKeys({ keys, changes }: SourceResource): readonly string[] {
  return changes === undefined || changes.isStaged ? keys : keys.filter((key) => key !== changes.key)
}

interface Searched {
  /** Ids of new or changed records that the search did not bring. */
  readonly lacking: readonly string[]
  readonly searchFault: string | null
}

const NOT_SEARCHED: Searched = { lacking: [], searchFault: null }

/** Searches for changes as the next reading of changes would. It does not read on after the first record that is too old. */
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

/** Refuses a record that was changed before the time that was asked for: then the source did not filter. */
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

/** Returns what made a read fail, without the page and the hint. */
function whatOf(error: Error): string {
  const { cause } = error
  return cause instanceof ReadError ? whatOf(cause) : error instanceof ReadError ? error.what : error.message
}

/**
 * Returns which of some records the source still has. A record that was deleted after it was read is gone, and no search can
 * bring it.
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

/** The same by reading all of the resource. If that proves nothing, each record counts as there. */
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

/** Options that ask for one full reading. */
export interface FullOptions {
  readonly full?: boolean | undefined
  readonly refresh?: boolean | undefined
  readonly rebind?: boolean | undefined
}

/** A full reading is due this share of `fullEvery` early, so that each interval has one, however long a run takes. */
const EARLY_SHARE = 0.1

/** @returns null where the integration is not read by changes */
export function readingByChanges({ source }: IntegrationConfig): ReadingByChanges | null {
  return 'reading' in source && source.reading.mode === 'changes' ? source.reading : null
}

/** Plans how each resource is read that can be read by changes. */
export async function planReadings(
  run: RunContext,
  options: FullOptions,
): Promise<ReadonlyMap<string, PlannedReading>> {
  const reading = readingByChanges(run.integration)
  if (reading === null) return new Map()
  const db = run.database.kysely
  const marks = await findMarks(db, run.integrationId)
  const [miss] = await findUnconfirmedMisses(db, run.integrationId)
  return new Map(
    run.connected.resources
      .filter(({ changes }) => changes?.isAsked === true)
      .map((resource) => {
        const mark = marks.get(resource.name) ?? null
        const why = whyInFull(run, resource, mark, reading, options, miss ?? null)
        return [
          resource.name,
          {
            since: sinceOf(mark, reading.overlapMinutes),
            markId: mark?.markId ?? null,
            full: why?.reason ?? null,
            isUnusual: why?.isUnusual ?? false,
            comparedKeys: mark?.isReadByChanges === true ? mark.askedKeys : null,
          },
        ] as const
      }),
  )
}

function whyInFull(
  run: RunContext,
  resource: SourceResource,
  mark: ChangeMark | null,
  reading: ReadingByChanges,
  options: FullOptions,
  miss: UnconfirmedMiss | null,
): { readonly reason: string; readonly isUnusual: boolean } | null {
  const unusual = (reason: string) => ({ reason, isUnusual: true })
  const usual = (reason: string) => ({ reason, isUnusual: false })
  if (miss !== null) return unusual(describeUnconfirmed(run.integrationId, miss))
  const option = (['full', 'refresh', 'rebind'] as const).find((name) => options[name])
  if (option !== undefined) return usual(`--${option}`)
  if (mark === null || mark.fullAtMs === null) return usual('it is the first full reading in this mode')
  if (!mark.isFullCertified) return unusual('the last full reading was not certified')
  if (mark.rejected > 0) {
    return unusual(
      `the last full reading had ${counted(mark.rejected, 'record')} that could not be read or were repeated`,
    )
  }
  const key = resource.changes?.key ?? ''
  if (mark.undated > 0) {
    return unusual(`the last full reading had ${counted(mark.undated, 'record')} without a readable ${key}`)
  }
  if (mark.mark === null) return unusual(`no record has a ${key} to start from`)
  if (sinceOf(mark, reading.overlapMinutes) === null) return unusual(`the latest ${key} is not a time`)
  if (mark.markId === null) return unusual(`the record with the latest ${key} was forgotten`)
  if (mark.shape !== shapeOf(run, resource)) {
    return usual('options, fields or the record parser are not those of the last full reading')
  }
  const isDue = run.environment.now() >= nextFullMs(run.integration, reading, mark.fullAtMs)
  return isDue ? usual(`the full reading of every ${reading.fullEvery} is due`) : null
}

/** Why all is read until somebody lets it be read by changes again. */
export function describeUnconfirmed(integrationId: string, miss: UnconfirmedMiss): string {
  const found = `run ${miss.runId} found ${counted(miss.count, 'record')} of ${miss.resource} that readings of changes missed`
  return `${found}; \`event-sync run ${integrationId} --changes\` reads by changes again`
}

/** When the next full reading is due: a little before the interval since the last one is over, then at the configured time of day. */
export function nextFullMs(
  { schedule }: Pick<IntegrationConfig, 'schedule'>,
  { fullEvery, fullAt }: ReadingByChanges,
  lastFullMs: number,
): number {
  const dueMs = lastFullMs + durationMs(fullEvery) * (1 - EARLY_SHARE)
  if (fullAt === undefined) return dueMs
  const [hour, minute] = fullAt.split(':').map(Number)
  const recurrence = { cron: `${minute} ${hour} * * *`, timeZone: schedule?.timeZone ?? 'UTC' }
  // Times come strictly after the moment given: one that is due just then must not wait another day.
  const [atMs = dueMs] = timesAfter(recurrence, dueMs - 1, 1)
  return atMs
}

/** The mark less the overlap and the duration of the reading that first saw it, by the clock of the source. */
function sinceOf(
  mark: Pick<ChangeMark, 'mark' | 'tookMinutes'> | null,
  overlapMinutes: number,
): string | null {
  if (mark === null || mark.mark === null) return null
  const markMs = Date.parse(`${mark.mark.replace(' ', 'T')}Z`)
  if (Number.isNaN(markMs)) return null
  return clockText(markMs - (overlapMinutes + mark.tookMinutes) * 60_000)
}

/** A moment as the source writes it, `2031-05-04 09:00:00`. */
export function clockText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}
