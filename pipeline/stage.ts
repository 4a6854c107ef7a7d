import { mergeResource } from '../loaders/staging/merge.ts'
import type { Reading } from './extract/extract.ts'
import type { RunContext } from './run-context.ts'

/**
 * Merges what was read into staging, and stores the certificates, in one transaction: a reader sees the snapshot
 * of before or the new one, never a mixture.
 *
 * @throws IncomingLostError where the database lost what was read; the run must be started again
 */
export async function stage(context: RunContext, readings: readonly Reading[]): Promise<void> {
  const { integrationId, runId, database } = context
  await database.transaction(async (transaction) => {
    for (const reading of readings) {
      const { resource, totals } = reading
      const distinct = await mergeResource(transaction, {
        integrationId,
        runId,
        resource: resource.name,
        table: resource.table,
        columns: resource.columns,
        incoming: reading.incoming,
        totals,
        // A record without an id may be any of those that seem to be gone.
        complete: reading.certified && totals.faults === 0,
      })
      await transaction
        .insertInto('sync.certificates')
        .values({
          integration_id: integrationId,
          run_id: runId,
          resource: resource.name,
          certified: reading.certified,
          requests: reading.requests,
          bytes: reading.bytes,
          elements: totals.elements,
          distinct_ids: distinct,
          declared: reading.declared,
          end_proof: reading.endProof,
          detail: reading.detail,
          checksum: String(totals.checksum),
        })
        .execute()
    }
  })
}
