import { sql } from 'kysely'
import type { Db, RunKey } from '../../sql/tables.ts'
import type { StagingTables } from '../../transforms/declare/resource.ts'
import {
  dropIncomingTable,
  holdsTotals,
  type IncomingName,
  type IncomingTotals,
  incomingName,
  renameIncomingTable,
} from './incoming.ts'

export interface ReadingKey extends RunKey {
  readonly resource: string
}

/**
 * The stored progress of reading a resource, from which a later run can continue. `totals` counts the records
 * that were in the incoming table when the progress was saved.
 */
export interface SavedReading {
  /** Hash of everything that determines the rows. If the hash differs, the reading cannot be continued. */
  readonly shape: string
  /** Position (in JSON) from which the reader of the source continues; null before the first page. */
  readonly cursor: string | null
  readonly totals: IncomingTotals
  readonly requests: number
  readonly attempts: number
  /** How the source proved the end of the resource; null until the end is reached. */
  readonly endProof: string | null
  readonly declared: number | null
  readonly savedAt: string
}

export interface SavedRequest {
  readonly page: number
  readonly url: string
  readonly status: number
  readonly bytes: number
  readonly sha256: string
  readonly elements: number
  readonly answeredAt: string
  readonly sourceAt: string | null
}

function idsOf({ integrationId, runId, resource }: ReadingKey) {
  return { integration_id: integrationId, run_id: runId, resource }
}

export async function saveReading(
  db: Db,
  key: ReadingKey,
  reading: SavedReading,
  requests: readonly SavedRequest[],
): Promise<void> {
  const { totals } = reading
  const progress = {
    shape: reading.shape,
    place: reading.cursor,
    elements: totals.elements,
    faults: totals.faults,
    forgotten: totals.forgotten,
    checksum: String(totals.checksum),
    requests: reading.requests,
    attempts: reading.attempts,
    end_proof: reading.endProof,
    declared: reading.declared,
    saved_at: reading.savedAt,
  }
  const ids = idsOf(key)
  if (requests.length > 0) {
    const rows = requests.map(({ answeredAt, sourceAt, ...request }) => ({
      ...ids,
      ...request,
      answered_at: answeredAt,
      source_at: sourceAt,
    }))
    await db.insertInto('sync.requests').values(rows).execute()
  }
  await db
    .insertInto('sync.readings')
    .values({ ...ids, ...progress })
    .onConflict((conflict) =>
      conflict.columns(['integration_id', 'run_id', 'resource']).doUpdateSet(progress),
    )
    .execute()
}

/**
 * Deletes the progress of a reading after its records were merged. The ledger keeps the requests of the
 * reading.
 */
export async function forgetProgress(db: Db, key: ReadingKey): Promise<void> {
  await db
    .deleteFrom('sync.readings')
    .where(({ and }) => and(idsOf(key)))
    .execute()
}

export async function forgetReading(db: Db, key: ReadingKey): Promise<void> {
  await db
    .deleteFrom('sync.requests')
    .where(({ and }) => and(idsOf(key)))
    .execute()
  await forgetProgress(db, key)
}

/**
 * Locks the readings of an integration, in an order that is always the same. A transaction that deletes
 * several rows of readings must call this function first. A transaction without this lock could deadlock with
 * a run that takes over from a suspended run.
 */
export async function lockReadings(transaction: Db, integrationId: string): Promise<void> {
  await lockedReadings(transaction, integrationId).select('resource').execute()
}

function lockedReadings(db: Db, integrationId: string) {
  return db
    .selectFrom('sync.readings')
    .where('integration_id', '=', integrationId)
    .orderBy('saved_at', 'desc')
    .orderBy('run_id', 'desc')
    .orderBy('resource')
    .forUpdate()
}

/**
 * Returns the readings of an integration whose records were not merged, newest first. If the database server
 * is still executing statements of a killed run, the function waits for them.
 */
export async function findReadings(db: Db, integrationId: string) {
  const rows = await lockedReadings(db, integrationId).selectAll().execute()
  return rows.map((row) => ({
    integrationId,
    runId: row.run_id,
    resource: row.resource,
    shape: row.shape,
    cursor: row.place,
    totals: {
      elements: Number(row.elements),
      faults: Number(row.faults),
      forgotten: Number(row.forgotten),
      checksum: BigInt(row.checksum),
    },
    requests: row.requests,
    attempts: row.attempts,
    endProof: row.end_proof,
    declared: row.declared === null ? null : Number(row.declared),
    savedAt: row.saved_at.toISOString(),
  }))
}

/**
 * Assigns the reading of a run that died to the run that continues the reading. Records that were added after
 * the progress was saved are deleted. The incoming table gets a new name, so that a process which lost its
 * lock but is still reading can no longer write to it.
 *
 * @returns false if the database lacks records of the reading, for example after a crash of the server; the
 *   reading is dropped in this case
 */
export async function handOver(
  transaction: Db,
  from: ReadingKey & SavedReading,
  toRunId: string,
  table: keyof StagingTables,
) {
  await renameIncomingTable(transaction, from.resource, from.runId, toRunId)
  const name = incomingName(toRunId, from.resource)
  await transaction.deleteFrom(name).where('ordinal', '>', from.totals.elements).execute()
  if (!(await holdsTotals(transaction, name, { ...from, table }, from.totals))) {
    await dropIncomingTable(transaction, name)
    await forgetReading(transaction, from)
    return false
  }
  for (const table of ['sync.requests', 'sync.readings'] as const) {
    await transaction
      .updateTable(table as 'sync.readings')
      .set({ run_id: toRunId })
      .where(({ and }) => and(idsOf(from)))
      .execute()
  }
  return true
}

/** Finds the incoming tables that other runs of an integration have not deleted. */
export async function findLeftTables(db: Db, integrationId: string, runId: string) {
  const names = await tablesOf(db, 'incoming')
  if (names.length === 0) return new Set<IncomingName>()
  const runs = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', '<>', runId)
    .orderBy('run_id', 'desc')
    .select('run_id')
    .execute()
  const own = new Set(runs.map(({ run_id }) => run_id.replaceAll('-', '')))
  return new Set(
    names.filter((name) => own.has(name.slice(0, 32))).map((name) => `incoming.${name}` as IncomingName),
  )
}

/**
 * Deletes the readings that failed or dead runs of an integration have left. An unfinished reading may
 * contain personal values.
 */
export async function dropLeftReadings(transaction: Db, integrationId: string, runId: string): Promise<void> {
  for (const name of await findLeftTables(transaction, integrationId, runId)) {
    await dropIncomingTable(transaction, name)
  }
  for (const reading of await findReadings(transaction, integrationId)) {
    if (reading.runId !== runId) await forgetReading(transaction, reading)
  }
}

export async function dropReadings(
  transaction: Db,
  integrationId: string,
  runId: string,
  resources: readonly { readonly name: string }[],
): Promise<void> {
  await lockReadings(transaction, integrationId)
  for (const { name: resource } of resources) {
    await dropIncomingTable(transaction, incomingName(runId, resource))
    await forgetReading(transaction, { integrationId, runId, resource })
  }
}

/**
 * Returns the names of all tables in a schema. Kysely's own introspection is not used here: it reads more
 * details, and it fails if another process drops a table at the same time.
 */
async function tablesOf(db: Db, schema: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name
    from pg_catalog.pg_tables
    where schemaname = ${schema}`.execute(db)
  return rows.map(({ name }) => name)
}
