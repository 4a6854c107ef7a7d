import type { Kysely } from 'kysely'
import { findMarks } from '../../loaders/staging/marks.ts'
import type { Missed, ReadingFacts, RunCounts, Tables } from '../../sql/tables.ts'
import type { RunContext } from '../context/run-context.ts'
import { nextFullMs, readingByChanges } from '../extract/plan-readings.ts'
import type { Reading } from '../sources/contract/certificate.ts'

/**
 * How each resource of an integration that is read by changes was read, once it is merged: figures for the ledger, and
 * sentences where all was read for an unusual reason, or where records were missed.
 */
export async function describeReadings(
  { integration, integrationId }: RunContext,
  transaction: Kysely<Tables>,
  readings: readonly Reading[],
): Promise<{ readonly counts: Pick<RunCounts, 'readings' | 'missed'>; readonly notes: readonly string[] }> {
  const config = readingByChanges(integration)
  if (config === null) return { counts: {}, notes: [] }
  const marks = await findMarks(transaction, integrationId)
  const facts: Record<string, ReadingFacts> = {}
  const missed: Record<string, Missed> = {}
  const reasons = new Map<string, string[]>()
  for (const { resource, changes } of readings) {
    if (changes === null) continue
    const { mark = null, fullAtMs = null } = marks.get(resource.name) ?? {}
    const [lastFull = null, nextFull = null] =
      fullAtMs === null
        ? []
        : [fullAtMs, nextFullMs(integration, config, fullAtMs)].map((ms) => new Date(ms).toISOString())
    facts[resource.name] = { mark, since: changes.since, full: changes.full, lastFull, nextFull }
    if (changes.missed.count > 0) missed[resource.name] = changes.missed
    if (changes.full !== null && changes.isUnusual)
      reasons.set(changes.full, [...(reasons.get(changes.full) ?? []), resource.name])
  }
  return {
    counts: { readings: facts, missed },
    notes: [
      ...[...reasons].map(([why, names]) => `${names.join(', ')}: read in full, because ${why}`),
      ...Object.entries(missed).map(([name, found]) => describeMissed(integrationId, name, found)),
    ],
  }
}

function describeMissed(integrationId: string, resource: string, { count, fields }: Missed): string {
  const which = Object.entries(fields)
    .map(([field, records]) => `${field} ${records}`)
    .join(', ')
  const records = count === 1 ? '1 record' : `${count} records`
  return `${resource}: readings of changes missed ${records} (${which}); from now on all is read in full, until \`event-sync run ${integrationId} --changes\``
}
