import { incomingName, openIncoming } from '../../loaders/staging/incoming.ts'
import { findKnownVersions } from '../../loaders/staging/known-versions.ts'
import { findMissing } from '../../loaders/staging/missing.ts'
import {
  dropLeftReadings,
  findLeftTables,
  findReadings,
  handOver,
  type SavedReading,
  saveReading,
} from '../../loaders/staging/readings.ts'
import type { SuppressionFilter } from '../../transforms/rules/people.ts'
import { type RunContext, timestamp } from '../context/run-context.ts'
import { findSuppression } from '../context/suppression.ts'
import { StoppedError } from '../http/retry.ts'
import type { EndedReading } from '../runtime/events.ts'
import {
  type Reading,
  type ReadRequest,
  type RecordSink,
  type SourceResource,
  UnprovedError,
} from '../sources/contract/source.ts'
import { type FullOptions, planReadings } from './changes/plan-readings.ts'
import { askedFor, readInFull, readPlanned } from './changes/read-planned.ts'
import { askForIds } from './resource/ask-for-ids.ts'
import { pageReader, readToProof } from './resource/page-reader.ts'
import { readResource, shapeOf } from './resource/read-resource.ts'

/**
 * Reads the resources that a run needs into incoming tables, all resources in parallel.
 *
 * A reading whose run died is continued, and of a record in its current version only the id is read. With
 * `freshRead`, everything is read anew.
 *
 * @throws ReadError with the resource and the page; staging is then unchanged
 */
export async function extract(
  run: RunContext,
  options: FullOptions & { readonly freshRead?: boolean | undefined } = {},
): Promise<readonly Reading[]> {
  const plans = await planReadings(run, options)
  const asked = run.connected.resources.map((resource) => askedFor(resource, plans.get(resource.name)))
  const { freshRead = false } = options
  const saved = await takeOver(run, asked, freshRead)
  const { database, integrationId } = run
  const suppression = await findSuppression(database.kysely, run, run.integration)
  return readEach(run, run.connected.resources, async (resource) => {
    run.emit({ type: 'reading begun', resource: resource.name })
    const planned = plans.get(resource.name)
    const from = saved.get(resource.name) ?? null
    const filter = suppression?.filter ?? null
    // The answer to a search for changes is short, and most of its records are new. Known versions would
    // therefore save nothing.
    const isShort = askedFor(resource, planned).search !== undefined
    const known =
      freshRead || isShort ? null : await findKnownVersions(database.kysely, integrationId, resource.table)
    return planned === undefined
      ? readResource(run, resource, from, filter, known)
      : readPlanned(run, resource, planned, from, filter, known)
  })
}

/**
 * Reads the named resources a second time, to find records that the first reading may have missed.
 *
 * @returns all readings; those of the named resources include the records that the second reading found
 * @throws ReadError with the resource and the page
 */
export async function confirm(
  run: RunContext,
  readings: readonly Reading[],
  names: ReadonlySet<string>,
): Promise<readonly Reading[]> {
  const suppression = await findSuppression(run.database.kysely, run, run.integration)
  const doubted = readings.filter(({ resource }) => names.has(resource.name))
  const confirmed = await readEach(run, doubted, async (reading) => {
    run.emit({ type: 'reading begun', resource: reading.resource.name })
    const filter = suppression?.filter ?? null
    const again = await lookAgain(run, reading, filter)
    // A record that was found only now may have a change that earlier readings by changes missed.
    return again.changes === null ? again : readInFull(run, again, again.changes.planned, filter)
  })
  const byName = new Map(confirmed.map((reading) => [reading.resource.name, reading]))
  return readings.map((reading) => byName.get(reading.resource.name) ?? reading)
}

/** Reads all resources in parallel. If one resource fails, the reading of the other resources stops. */
async function readEach<Of>(
  run: RunContext,
  list: readonly Of[],
  read: (one: Of) => Promise<Reading>,
): Promise<readonly Reading[]> {
  const readings = list.map(async (one) => {
    try {
      const reading = await read(one)
      run.emit({ type: 'reading ended', ...endedReading(reading) })
      return reading
    } catch (error) {
      run.retries.stop()
      throw error
    }
  })
  const results = await Promise.allSettled(readings)
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  const failure = failures.find((error) => !(error instanceof StoppedError)) ?? failures[0]
  if (failure !== undefined) throw failure
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

function endedReading({
  resource: { name: resource },
  totals,
  endProof: end,
  ...reading
}: Reading): EndedReading {
  const { certified, requests, attempts, declared, detail } = reading
  const { elements: records, faults } = totals
  return { resource, certified, requests, attempts, records, faults, declared, end, detail }
}

/**
 * Continues readings of runs that died. A reading can be continued if it is recent enough and all its rows
 * still exist.
 */
async function takeOver(
  run: RunContext,
  asked: readonly SourceResource[],
  freshRead: boolean,
): Promise<ReadonlyMap<string, SavedReading>> {
  const { database, integrationId, environment, limits, runId } = run
  const db = database.kysely
  const oldestMs = environment.now() - limits.resumeMinutes * 60_000
  const left = freshRead ? new Set() : await findLeftTables(db, integrationId, runId)
  const byName = new Map(asked.map((one) => [one.name, { table: one.table, shape: shapeOf(run, one) }]))
  const taken = new Map<string, SavedReading>()
  for (const saved of left.size === 0 ? [] : await findReadings(db, integrationId)) {
    const { resource, cursor, endProof, shape, savedAt, totals } = saved
    const now = byName.get(resource)
    const isUsable =
      now !== undefined &&
      !taken.has(resource) &&
      left.has(incomingName(saved.runId, resource)) &&
      (cursor !== null || endProof !== null) &&
      shape === now.shape &&
      Date.parse(savedAt) > oldestMs
    if (!isUsable) continue
    const isWhole = await database.transaction((transaction) =>
      handOver(transaction, saved, runId, now.table),
    )
    if (!isWhole) continue
    run.at('reading handed over')
    run.emit({ type: 'reading resumed', resource, records: totals.elements, savedAt })
    taken.set(resource, saved)
  }
  await database.transaction((transaction) => dropLeftReadings(transaction, integrationId, runId))
  return taken
}

/**
 * Looks a second time for the records of a resource that the first reading did not return. The second reading
 * requests the missing records by their ids, together with known records. If the answer cannot be used, it
 * reads the whole resource. Records that are found are added to the reading. The first reading may have
 * missed a record that moved from one page to another, although the record is not gone. New unreadable
 * records are added too, because they may be the missing records.
 *
 * @returns the reading with the records that were found; it is not certified (proved complete) if the second
 *   reading proves nothing
 * @throws ReadError with the resource and the page
 */
async function lookAgain(
  run: RunContext,
  first: Reading,
  filter: SuppressionFilter | null,
): Promise<Reading> {
  const { database, environment, integration, integrationId, runId, connected } = run
  const { resource } = first
  const synced = new Set(integration.content)
  const contents = resource.contents.filter((content) => synced.has(content))
  const sought = { ...first, table: resource.table, contents, integrationId }
  const missing = await findMissing(database.kysely, sought)
  const incoming = await openIncoming(database, first.incoming, resource, first.totals)
  let attempts = first.attempts
  let answers: ReadRequest[] = []
  let taken = first.totals.elements
  const sink: RecordSink = {
    ...incoming,
    add: (row) => (row.isForgotten === true || !missing.isLacked(row) ? undefined : incoming.add(row)),
  }
  const log = {
    attempt() {
      attempts += 1
    },
    read(answer: ReadRequest) {
      const { elements } = incoming.totals()
      answers.push({ ...answer, elements: elements - taken })
      taken = elements
    },
  }
  async function startAgain(): Promise<void> {
    await incoming.rewind(first.totals)
    answers = []
    taken = first.totals.elements
  }
  async function readAll(): Promise<void> {
    await startAgain()
    const readPage = pageReader(run, resource, sink, log, filter, first.totals.elements)
    await readToProof(connected.source, resource, {
      readPage(what, ...page) {
        run.at('page asked for')
        return readPage(`${what} of the second reading`, ...page)
      },
      restart: startAgain,
    })
  }
  try {
    const sought = { ids: missing.ids ?? [], known: missing.read, mostQuestions: first.requests }
    if ((await askForIds(run, resource, sought, filter, log, sink, first.totals.elements)) === null)
      await readAll()
    await incoming.commit()
    const requests = first.requests + answers.length
    const reading = { ...first, totals: incoming.totals(), requests, attempts }
    const pages = answers.map((answer, index) => ({ ...answer, page: first.requests + index + 1 }))
    const key = { integrationId, runId, resource: resource.name }
    const saved = { ...reading, shape: shapeOf(run, resource), cursor: null, savedAt: timestamp(environment) }
    await database.transaction((transaction) => saveReading(transaction, key, saved, pages))
    run.at('reading saved')
    const back = reading.totals.elements - first.totals.elements
    return { ...reading, confirmed: true, detail: back === 0 ? first.detail : describe(back) }
  } catch (error) {
    if (!(error instanceof UnprovedError)) throw error
    await incoming.rewind(first.totals)
    const detail = `records are missing, and the second reading could not confirm that: ${error.message}`
    return { ...first, attempts, certified: false, confirmed: false, endProof: 'none', detail }
  } finally {
    await incoming.close()
  }
}

function describe(back: number): string {
  const records = back === 1 ? '1 record that was' : `${back} records that were`
  return `a second reading found ${records} not in the first`
}
