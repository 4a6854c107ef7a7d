import type { Kysely } from 'kysely'
import { findMarks } from '../../../loaders/staging/marks.ts'
import type { Merged } from '../../../loaders/staging/merge.ts'
import type { Missed, ReadingFacts, RunCounts, Tables } from '../../../sql/tables.ts'
import { counted } from '../../../transforms/texts/counted.ts'
import type { RunContext } from '../../context/run-context.ts'
import type { Reading, SourceResource } from '../../sources/contract/source.ts'
import { nextFullMs, readingByChanges } from './plan-readings.ts'

type MergedReading = Pick<Reading, 'resource' | 'changes'> & Pick<Merged, 'ahead'>

/**
 * Describes how each resource of an integration that is read by changes was read. Returns figures for the run
 * tables. Adds notes if all records were read for an unusual reason, or if changes were missed.
 */
export async function describeReadings(
  { integration, integrationId }: RunContext,
  transaction: Kysely<Tables>,
  readings: readonly MergedReading[],
): Promise<{ readonly counts: Pick<RunCounts, 'readings' | 'missed'>; readonly notes: readonly string[] }> {
  const config = readingByChanges(integration)
  if (config === null) return { counts: {}, notes: [] }
  const marks = await findMarks(transaction, integrationId)
  const facts: Record<string, ReadingFacts> = {}
  const missed: Record<string, Missed> = {}
  const reasons = new Map<string, string[]>()
  const doubts: string[] = []
  for (const { resource, changes, ahead } of readings) {
    if (changes === null) continue
    if (ahead > 0) doubts.push(describeAhead(resource, ahead))
    if (changes.searchFault !== null) doubts.push(describeNotSearched(resource, changes.searchFault))
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
      ...doubts,
      ...Object.entries(missed).map(([name, found]) => describeMissed(integrationId, name, found)),
    ],
  }
}

function describeAhead({ name, changes }: SourceResource, ahead: number): string {
  const records = ahead === 1 ? '1 record has' : `${ahead} records have`
  return `${name}: ${records} an ${changes?.key} too far in the future, from which readings of changes do not start; check the clock of the source`
}

function describeNotSearched({ name }: SourceResource, fault: string): string {
  return `${name}: it is not known whether readings of changes missed records, because the search for them cannot be used: ${fault}`
}

function describeMissed(integrationId: string, resource: string, { count, fields }: Missed): string {
  const which = Object.entries(fields)
    .map(([field, records]) => `${field} ${records}`)
    .join(', ')
  return `${resource}: readings of changes missed ${counted(count, 'record')} (${which}); every run now reads in full, until you run \`event-sync run ${integrationId} --changes\``
}
