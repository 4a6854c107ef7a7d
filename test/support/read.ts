import { createHash } from 'node:crypto'
import { type IncomingRow, incomingName, openIncoming } from '../../loaders/staging/incoming.ts'
import { type Merge, mergeResource } from '../../loaders/staging/merge.ts'
import type { Cell, Database } from '../../sql/database.ts'
import type { StagingTables } from '../../transforms/declare/resource.ts'

/** A resource as tests use it: its table and the columns of its records. */
export interface TestResource {
  readonly table: keyof StagingTables
  readonly columns: readonly string[]
}

export const ROOMS: TestResource = { table: 'staging.a_rooms', columns: ['name', 'location'] }

/**
 * Makes a record in the form in which a correct read returns it. The version of the record is made from its
 * id and its values.
 */
export function record(
  sourceId: string,
  values: readonly Cell[],
  warnings: readonly string[] = [],
): IncomingRow {
  const doc = JSON.stringify({ sourceId, values })
  const versionHash = createHash('sha256').update(doc).digest('hex')
  return { sourceId, values, warnings, doc, versionHash, fault: null }
}

/** Makes a record of which the database already has the version, so that its values are not read. */
export const known = (row: IncomingRow): IncomingRow => ({ ...row, values: [], warnings: [], doc: null })

/** Makes a record that cannot be read. */
export function fault(path: string, message: string): IncomingRow {
  const versionHash = createHash('sha256').update(path).digest('hex')
  return { sourceId: null, values: [], warnings: [], doc: null, versionHash, fault: { path, message } }
}

/**
 * Writes records into the incoming table of a run, and returns the arguments with which these records are
 * merged.
 */
export async function readInto(
  database: Database,
  run: { readonly integrationId: string; readonly runId: string },
  resource: TestResource,
  records: readonly IncomingRow[],
  certified = true,
): Promise<Merge> {
  const name = resource.table.replace(/^staging\.[ab]_/, '')
  const incoming = await openIncoming(database, incomingName(run.runId, name), resource)
  for (const row of records) await incoming.add(row)
  await incoming.commit()
  await incoming.close()
  return {
    ...run,
    ...resource,
    resource: name,
    incoming: incoming.table,
    totals: incoming.totals(),
    certified,
  }
}

/** Merges the records in a transaction of their own. @returns the number of different ids */
export async function merged(database: Database, merge: Merge): Promise<number> {
  const { distinct } = await database.transaction((transaction) => mergeResource(transaction, merge))
  return distinct
}
