import type { Kysely } from 'kysely'
import type { RunKey, Tables } from '../../sql/tables.ts'
import type { CsvCell } from './csv.ts'

/** Columns of `certificates.csv`. Source: design 9 (contract). */
export const CERTIFICATE_COLUMNS = [
  'resource',
  'certified',
  'requests',
  'elements',
  'distinct_ids',
  'declared',
  'end',
  'detail',
]

/** The proof of each resource that the run read, in the order of their names. */
export async function* certificateRows(
  db: Kysely<Tables>,
  { integrationId, runId }: RunKey,
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  const rows = await db
    .selectFrom('sync.certificates')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .orderBy('resource')
    .selectAll()
    .execute()
  yield rows.map((row) => [
    row.resource,
    String(row.certified),
    row.requests,
    Number(row.elements),
    row.distinct_ids === null ? null : Number(row.distinct_ids),
    row.declared === null ? null : Number(row.declared),
    row.end_proof,
    row.detail === '' ? null : row.detail,
  ])
}
