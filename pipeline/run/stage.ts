import type { Kysely } from 'kysely'
import { findForgotten } from '../../loaders/people/forgotten.ts'
import { findKnownResources } from '../../loaders/staging/incoming.ts'
import { forgetMarks, recordMisses } from '../../loaders/staging/marks.ts'
import { closeFormerSources, type Merged, mergeResource } from '../../loaders/staging/merge.ts'
import { forgetProgress } from '../../loaders/staging/readings.ts'
import { ofRun } from '../../sql/conditions.ts'
import type { Tables } from '../../sql/tables.ts'
import type { RunContext } from '../context/run-context.ts'
import { markOf } from '../extract/changes/mark.ts'
import { readingByChanges } from '../extract/changes/plan-readings.ts'
import type { Reading } from '../sources/contract/source.ts'

export interface StagedReading
  extends Reading,
    Pick<Merged, 'ahead' | 'gone' | 'lacks' | 'newFaults' | 'newlyRead'> {
  /**
   * A sentence about records that seem to be gone but whose items are kept; null if there are no such
   * records.
   */
  readonly note: string | null
}

/**
 * Merges the records into staging, and stores the certificates (the proof of how each resource was read).
 *
 * @returns the readings, and whether anything is new; if nothing is new, no row in staging was written
 * @throws IncomingLostError if the database has lost the incoming records; the run must then start again
 */
export async function stage(context: RunContext, transaction: Kysely<Tables>, readings: readonly Reading[]) {
  const { integrationId, runId } = context
  const forgotten = (await findForgotten(transaction, integrationId)).ids.map(({ token }) => token)
  const { type } = context.integration.source
  const former = (await findKnownResources(transaction)).filter(({ source }) => source !== type)
  const formerTables = former.map(({ table }) => table)
  let written = await closeFormerSources(transaction, context, formerTables)
  const staged: StagedReading[] = []
  // If the integration is not read by changes now, its marks (how far readings by changes have come) become
  // outdated, so they are deleted.
  if (readingByChanges(context.integration) === null) await forgetMarks(transaction, integrationId)
  for (const reading of readings) {
    const { resource, totals, changes } = reading
    const key = { integrationId, runId, resource: resource.name }
    context.at('merge begun')
    const { distinct, heldBack, suspects, seen, ...merged } = await mergeResource(transaction, {
      ...key,
      table: resource.table,
      columns: resource.columns,
      incoming: reading.incoming,
      totals,
      forgotten,
      certified: reading.certified,
      mark: changes === null ? undefined : await markOf(context, transaction, resource, changes.since),
    })
    const note = heldBack === 0 ? null : describeHeldBack(resource.name, heldBack, suspects)
    written += merged.written
    staged.push({ ...reading, ...merged, note })
    const { bytes, first, last } = await transaction
      .selectFrom('sync.requests')
      .$call(ofRun({ integrationId, runId }))
      .where('resource', '=', resource.name)
      .select((eb) => [
        eb.cast<string>(eb.fn.coalesce(eb.fn.sum('bytes'), eb.lit(0)), 'text').as('bytes'),
        eb.fn.min<Date | null>('answered_at').as('first'),
        eb.fn.max<Date | null>('answered_at').as('last'),
      ])
      .executeTakeFirstOrThrow()
    await transaction
      .insertInto('sync.certificates')
      .values({
        integration_id: integrationId,
        run_id: runId,
        resource: resource.name,
        certified: reading.certified,
        requests: reading.requests,
        attempts: reading.attempts,
        bytes,
        elements: totals.elements,
        distinct_ids: distinct,
        declared: reading.declared,
        end_proof: reading.endProof,
        detail: note ?? detailOf(reading),
        confirmed: reading.confirmed,
        first_answer_at: first?.toISOString() ?? null,
        last_answer_at: last?.toISOString() ?? null,
        checksum: String(totals.checksum),
        forgotten: totals.forgotten,
        since: changes?.since ?? null,
        staged_seen: seen?.seen ?? null,
        staged_unseen: seen?.unseen ?? null,
        staged_checksum: seen?.checksum ?? null,
        missed: changes?.missed.count ?? null,
        brought: changes?.brought ?? null,
      })
      .execute()
    if (changes !== null && changes.missed.count > 0)
      await recordMisses(transaction, context, resource.name, changes.missed)
    await forgetProgress(transaction, key)
    context.at('resource merged')
  }
  return { staged, isNew: written > 0n }
}

/**
 * Describes a reading for the certificate. The text is about a reading by changes, or about an unusual reason
 * for a full reading.
 */
function detailOf({ changes, detail }: Reading): string {
  if (changes === null) return detail
  const full = changes.isUnusual ? `read in full: ${changes.full}` : ''
  const how = changes.since === null ? full : `changes since ${changes.since}`
  return [how, detail].filter((part) => part !== '').join('; ')
}

function describeHeldBack(resource: string, heldBack: number, suspects: number): string {
  const name = resource.replaceAll('_', ' ')
  const gone = heldBack === 1 ? `1 of the ${name} is gone` : `${heldBack} ${name} are gone`
  const are = heldBack === 1 ? 'is' : 'are'
  const could = `that could be ${heldBack === 1 ? 'it' : 'one of them'}`
  const faults = suspects === 1 ? `1 record ${could} has` : `${suspects} records ${could} have`
  return `${gone} at the source and ${are} kept, because ${faults} no readable id`
}
