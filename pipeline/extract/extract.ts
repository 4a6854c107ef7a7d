import { incomingName } from '../../loaders/staging/incoming.ts'
import {
  dropLeftReadings,
  findLeftTables,
  findReadings,
  handOver,
  type SavedReading,
} from '../../loaders/staging/readings.ts'
import type { RunContext } from '../context/run-context.ts'
import { StoppedError } from '../http/retry.ts'
import { findSuppression } from '../privacy/suppression.ts'
import type { EndedReading } from '../runtime/events.ts'
import type { Reading } from '../sources/contract/certificate.ts'
import type { Resource } from '../sources/contract/source.ts'
import { type FullOptions, planReadings } from './plan-readings.ts'
import { askedFor, readInFull, readPlanned } from './read-changes.ts'
import { readResource, shapeOf } from './read-resource.ts'
import { lookAgain } from './second-look.ts'

/**
 * Reads the resources that a run needs, all at once, into incoming tables.
 *
 * A reading of a run that died is continued, unless `freshRead` is set.
 *
 * @throws ReadError naming the resource and the page; nothing in staging has changed then
 */
export async function extract(
  run: RunContext,
  options: FullOptions & { readonly freshRead?: boolean | undefined } = {},
): Promise<readonly Reading[]> {
  const plans = await planReadings(run, options)
  const asked = run.connected.resources.map((resource) => askedFor(resource, plans.get(resource.name)))
  const saved = await takeOver(run, asked, options.freshRead ?? false)
  const suppression = await findSuppression(run.database.kysely, run, run.integration)
  return readEach(run, run.connected.resources, (resource) => {
    run.emit({ type: 'reading begun', resource: resource.name })
    const planned = plans.get(resource.name)
    const from = saved.get(resource.name) ?? null
    const filter = suppression?.filter ?? null
    return planned === undefined
      ? readResource(run, resource, from, filter)
      : readPlanned(run, resource, planned, from, filter)
  })
}

/**
 * Reads the named resources a second time, for records that the first reading may have missed.
 *
 * @returns all readings, the named ones with what came back
 * @throws ReadError naming the resource and the page
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
    // What came back may have changed unseen.
    return again.changes === null ? again : readInFull(run, again, again.changes.planned, filter)
  })
  const byName = new Map(confirmed.map((reading) => [reading.resource.name, reading]))
  return readings.map((reading) => byName.get(reading.resource.name) ?? reading)
}

/** Reads all at once; where one fails, the others end too. */
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

/** Takes over readings of runs that died, where they are young enough and all of their rows are still there. */
async function takeOver(
  run: RunContext,
  asked: readonly Resource[],
  freshRead: boolean,
): Promise<ReadonlyMap<string, SavedReading>> {
  const { database, integrationId, environment, limits, runId } = run
  const db = database.kysely
  const oldestMs = environment.now() - limits.resumeMinutes * 60_000
  const left = freshRead ? new Set() : await findLeftTables(db, integrationId, runId)
  const shapes = new Map(asked.map((resource) => [resource.name, shapeOf(run, resource)]))
  const taken = new Map<string, SavedReading>()
  for (const saved of left.size === 0 ? [] : await findReadings(db, integrationId)) {
    const { resource, place, endProof, shape, savedAt, totals } = saved
    const isUsable =
      !taken.has(resource) &&
      left.has(incomingName(saved.runId, resource)) &&
      (place !== null || endProof !== null) &&
      shape === shapes.get(resource) &&
      Date.parse(savedAt) > oldestMs
    if (!isUsable) continue
    const isWhole = await database.transaction((transaction) => handOver(transaction, saved, runId))
    if (!isWhole) continue
    run.at('reading handed over')
    run.emit({ type: 'reading resumed', resource, records: totals.elements, savedAt })
    taken.set(resource, saved)
  }
  await database.transaction((transaction) => dropLeftReadings(transaction, integrationId, runId))
  return taken
}
