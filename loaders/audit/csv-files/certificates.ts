import type { Db, RunKey } from '../../../sql/tables.ts'
import { findCertificates } from '../../ledger/ledger.ts'
import type { CsvCell } from './csv.ts'

/** The proof of each resource that the run read, in the order of their names. */
export async function* certificateRows(db: Db, run: RunKey): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  const rows = await findCertificates(db, run)
  yield rows.map((row) => [
    row.resource,
    String(row.certified),
    row.requests,
    row.elements,
    row.distinctIds,
    row.declared,
    row.end,
    row.detail === '' ? null : row.detail,
    row.confirmed === null ? null : String(row.confirmed),
  ])
}
