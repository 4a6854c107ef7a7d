import type { Kysely } from 'kysely'
import { findForgotten } from '../loaders/forgetting/forgotten.ts'
import { mergeResource } from '../loaders/staging/merge.ts'
import { forgetStanding } from '../loaders/staging/readings.ts'
import type { Tables } from '../sql/tables.ts'
import type { Reading } from './extract/certificate.ts'
import type { RunContext } from './run-context.ts'

/**
 * Merges what was read into staging and stores the certificates.
 *
 * @returns whether anything of it is new: no row of staging was written where nothing is
 * @throws IncomingLostError where the database lost what was read; the run must be started again
 */
export async function stage(
  context: RunContext,
  transaction: Kysely<Tables>,
  readings: readonly Reading[],
): Promise<boolean> {
  const { integrationId, runId, progress } = context
  const gone = await findForgotten(transaction, integrationId)
  const forgotten = gone.ids.map(({ token }) => token)
  let isNew = false
  for (const reading of readings) {
    const { resource, totals } = reading
    const key = { integrationId, runId, resource: resource.name }
    progress.at(integrationId, 'merge begun')
    const { distinct, written } = await mergeResource(transaction, {
      ...key,
      table: resource.table,
      columns: resource.columns,
      incoming: reading.incoming,
      totals,
      forgotten,
      // A record without an id may be any of those that seem to be gone.
      complete: reading.certified && totals.faults === 0,
    })
    isNew ||= written > 0n
    const { bytes } = await transaction
      .selectFrom('sync.requests')
      .where('integration_id', '=', integrationId)
      .where('run_id', '=', runId)
      .where('resource', '=', resource.name)
      .select((eb) => eb.cast<string>(eb.fn.coalesce(eb.fn.sum('bytes'), eb.lit(0)), 'text').as('bytes'))
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
        detail: reading.detail,
        checksum: String(totals.checksum),
        forgotten: totals.forgotten,
      })
      .execute()
    await forgetStanding(transaction, key)
    progress.at(integrationId, 'resource merged')
  }
  return isNew
}
