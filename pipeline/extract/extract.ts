import { incomingName } from '../../loaders/staging/incoming.ts'
import {
  dropLeftReadings,
  findLeftTables,
  findReadings,
  handOver,
  type SavedReading,
} from '../../loaders/staging/readings.ts'
import { findSuppression } from '../forgetting/suppression.ts'
import type { Certified } from '../observe/told.ts'
import type { RunContext } from '../run-context.ts'
import type { Reading } from './certificate.ts'
import { readResource, shapeOf } from './read-resource.ts'
import { StoppedError } from './retry.ts'

/**
 * Reads the resources that a run needs, all at once, into incoming tables.
 *
 * What a run that died had read is continued.
 *
 * @throws ReadError naming the resource and the page; nothing in staging has changed then
 */
export async function extract(run: RunContext): Promise<readonly Reading[]> {
  const saved = await takeOver(run)
  const suppression = await findSuppression(run.database.kysely, run, run.integration)
  const readings = run.connected.resources.map(async (resource) => {
    run.progress.resource(run.integrationId, resource.name)
    try {
      const reading = await readResource(
        run,
        resource,
        saved.get(resource.name) ?? null,
        suppression?.sieve ?? null,
      )
      run.progress.certified(run.integrationId, told(reading))
      return reading
    } catch (error) {
      // The run has failed: what the other resources still wait for would be for nothing.
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

function told({ resource, totals, endProof, ...reading }: Reading): Certified {
  const { certified, requests, attempts, declared, detail } = reading
  const { elements: records, faults } = totals
  return {
    resource: resource.name,
    certified,
    requests,
    attempts,
    records,
    faults,
    declared,
    end: endProof,
    detail,
  }
}

/** Takes over what runs that died had read, where it is young enough and all of it is still there. */
async function takeOver(run: RunContext): Promise<ReadonlyMap<string, SavedReading>> {
  const { database, integrationId, connected, environment, limits, progress, runId } = run
  const db = database.kysely
  const oldestMs = environment.now() - limits.resumeMinutes * 60_000
  const left = await findLeftTables(db, integrationId, runId)
  const shapes = new Map(connected.resources.map((resource) => [resource.name, shapeOf(run, resource)]))
  const taken = new Map<string, SavedReading>()
  if (left.size > 0) {
    for (const saved of await findReadings(db, integrationId)) {
      const { resource, place, endProof, shape, savedAt, totals } = saved
      const isOfUse =
        !taken.has(resource) &&
        left.has(incomingName(saved.runId, resource)) &&
        (place !== null || endProof !== null) &&
        shape === shapes.get(resource) &&
        Date.parse(savedAt) > oldestMs
      if (!isOfUse) continue
      const isWhole = await database.transaction((transaction) => handOver(transaction, saved, runId))
      if (!isWhole) continue
      progress.at(integrationId, 'reading handed over')
      progress.resume(integrationId, resource, totals.elements, savedAt)
      taken.set(resource, saved)
    }
  }
  await database.transaction((transaction) => dropLeftReadings(transaction, integrationId, runId))
  return taken
}
