import { sql } from 'kysely'
import type { Cell, Database } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../../transforms/declare/resource.ts'

export interface IncomingRow {
  readonly sourceId: string | null
  /** Values of the resource's columns, in the order of the columns; the list is empty if `doc` is null. */
  readonly values: readonly Cell[]
  readonly warnings: readonly string[]
  /**
   * The record as JSON text that jsonb can store. The text is null if the record is quarantined, or if
   * staging already has this version as the current one.
   */
  readonly doc: string | null
  readonly versionHash: string
  /**
   * Time of the record's last change, as the source writes it. The time is null or left out if it is not
   * needed or cannot be read.
   */
  readonly changedAt?: string | null
  readonly fault: { readonly path: string; readonly message: string } | null
  /** True if the record belongs to a forgotten person: such a record is counted but not written. */
  readonly isForgotten?: boolean
}

/**
 * Counts of the records that were read, and a checksum of the written records. Comparing the counts with the
 * incoming table shows if rows are missing.
 */
export interface IncomingTotals {
  readonly elements: number
  readonly faults: number
  /** Number of records of forgotten people, which are counted in `elements` but not written. */
  readonly forgotten: number
  readonly checksum: bigint
}

export const NOTHING_INCOMING: IncomingTotals = { elements: 0, faults: 0, forgotten: 0, checksum: 0n }

export type IncomingName = `${typeof SCHEMA}.records`
const SCHEMA = 'incoming'

const FIXED_COLUMNS = ['ordinal', 'row_check', 'fault_path', 'fault', 'changed_at', 'source_id'] as const
const LAST_COLUMNS = ['marks', 'doc', 'version_hash'] as const

export function incomingName(runId: string, resource: string): IncomingName {
  return `${SCHEMA}.${bareName(runId, resource)}` as IncomingName
}

function bareName(runId: string, resource: string): string {
  return `${runId.replaceAll('-', '')}_${resource}`
}

/**
 * Opens the incoming table of a resource, into which a run writes the records that it reads. On PostgreSQL,
 * the incoming table is unlogged. A crash of the server empties an unlogged table; comparing the table with
 * the totals reveals the loss. PGlite ends together with the run, so there the table is a logged table. On
 * PGlite, an unlogged table would be empty after the run, and no other run could continue the reading.
 *
 * @param from totals of an existing incoming table to which records are added; null creates a new table
 */
export async function openIncoming(
  database: Database,
  name: IncomingName,
  target: { readonly table: keyof StagingTables; readonly columns: readonly string[] },
  from: IncomingTotals | null = null,
) {
  if (from === null) await createTable(database, name, target)
  const blank: readonly Cell[] = target.columns.map(() => null)
  const sink = database.copyInto(name, [...FIXED_COLUMNS, ...target.columns, ...LAST_COLUMNS])
  const count = countFrom(from ?? NOTHING_INCOMING)

  return {
    table: name,
    totals: count.totals,
    /**
     * Adds a record. @returns a promise that the caller must await before it adds the next record; undefined
     * if it need not wait
     */
    add(row: IncomingRow): Promise<void> | undefined {
      const {
        sourceId,
        values,
        warnings,
        doc,
        versionHash,
        changedAt = null,
        fault,
        isForgotten = false,
      } = row
      if (isForgotten) {
        count.forgotten()
        return undefined
      }
      const check = rowCheck(versionHash)
      const ordinal = count.row(check, fault !== null)
      const own = doc === null ? blank : values
      const [path, message] = [fault?.path ?? null, fault?.message ?? null]
      const given = [ordinal, check, path, message, changedAt, sourceId] as const
      return sink.write([...given, ...own, warnings, doc, `\\x${versionHash}`])
    },
    /** Deletes all records that were added after the given totals, so that a page can be read again. */
    async rewind(to: IncomingTotals): Promise<void> {
      await sink.commit()
      await database.kysely.deleteFrom(name).where('ordinal', '>', to.elements).execute()
      count.reset(to)
    },
    commit: () => sink.commit(),
    close: () => sink.close(),
  }
}

/**
 * The table with the records of one resource in one run. The merge moves the records from this table into
 * staging.
 */
export type Incoming = Awaited<ReturnType<typeof openIncoming>>

async function createTable(
  database: Database,
  name: IncomingName,
  target: { readonly table: keyof StagingTables; readonly columns: readonly string[] },
): Promise<void> {
  await dropIncomingTable(database.kysely, name)
  const table = database.kysely.schema.createTable(name)
  await (database.engine === 'postgres' ? table.modifyFront(sql`unlogged`) : table)
    .as(
      database.kysely
        .selectFrom(asAny(target.table))
        .select((eb) => [
          eb.cast<number>(eb.lit(0), 'bigint').as('ordinal'),
          eb.cast<number>(eb.lit(0), 'bigint').as('row_check'),
          eb.cast<string | null>(eb.lit(null), 'text').as('fault_path'),
          eb.cast<string | null>(eb.lit(null), 'text').as('fault'),
          eb.cast<string | null>(eb.lit(null), 'text').as('changed_at'),
          'source_id',
          ...(target.columns as 'title'[]),
          'marks',
          // The column `doc` is text, not jsonb, so that PostgreSQL need not parse it. Most documents are
          // dropped, because staging already has them.
          eb.cast<string | null>(eb.lit(null), 'text').as('doc'),
          'version_hash',
        ])
        .where((eb) => eb.lit(false)),
    )
    .execute()
}

export async function dropIncomingTable(db: Db, name: IncomingName): Promise<void> {
  await db.schema.dropTable(name).ifExists().execute()
}

export async function renameIncomingTable(db: Db, resource: string, fromRunId: string, toRunId: string) {
  await db.schema
    .withSchema(SCHEMA)
    .alterTable(bareName(fromRunId, resource))
    .renameTo(bareName(toRunId, resource))
    .execute()
}

/**
 * Returns true if the database still has all records that were read. A crash of the server may have emptied
 * the incoming table, which is unlogged. A record without a document is counted only if its version is the
 * current version in staging.
 */
export async function holdsTotals(
  db: Db,
  name: IncomingName,
  { integrationId, table }: { readonly integrationId: string; readonly table: keyof StagingTables },
  { elements, forgotten, checksum }: IncomingTotals,
): Promise<boolean> {
  const found = await db
    .selectFrom(`${name} as record`)
    .leftJoin(`${asAny(table)} as version`, (join) =>
      join
        .on('version.integration_id', '=', integrationId)
        .on('version.valid_to_run', 'is', null)
        .onRef('version.source_id', '=', 'record.source_id')
        .onRef('version.version_hash', '=', 'record.version_hash'),
    )
    .where(({ eb, or }) =>
      or([
        eb('record.doc', 'is not', null),
        eb('record.fault', 'is not', null),
        eb('version.source_id', 'is not', null),
      ]),
    )
    .select((eb) => [
      eb.fn.countAll<string>().as('elements'),
      eb.cast<string>(eb.fn.coalesce(eb.fn.sum('record.row_check'), eb.lit(0)), 'text').as('checksum'),
    ])
    .executeTakeFirstOrThrow()
  return Number(found.elements) === elements - forgotten && BigInt(found.checksum) === checksum
}

/**
 * Checks if a given record is in an incoming table. Also counts the records that repeat the id of another
 * record.
 */
export async function countSeen(
  db: Db,
  name: IncomingName,
  sourceId: string,
): Promise<{ readonly isThere: boolean; readonly repeated: number }> {
  const found = await db
    .selectFrom(name)
    .select(({ fn }) => [
      fn.countAll<string>().filterWhere('source_id', '=', sourceId).as('there'),
      fn.count<string>('source_id').as('records'),
      fn.count<string>('source_id').distinct().as('distinct_ids'),
    ])
    .executeTakeFirstOrThrow()
  return { isThere: Number(found.there) > 0, repeated: Number(found.records) - Number(found.distinct_ids) }
}

/**
 * Returns the check value of a row, which is the first six bytes of the hash of the record's version. The sum
 * of all check values shows if the rows in the table are the records that were read.
 */
function rowCheck(hash: string): number {
  return Number.parseInt(hash.slice(0, 12), 16)
}

/**
 * Half of the largest integer that a JavaScript number holds exactly. A sum below this limit stays exact when
 * one more check value is added.
 */
const SAFE_SUM = 2 ** 52

/**
 * Counts records and sums the check values of their rows. The code runs once per record, so the sum is a
 * JavaScript number for as long as the number is exact; a bigint would be slower.
 */
function countFrom(start: IncomingTotals) {
  let { elements, faults, forgotten, checksum } = start
  let sum = 0

  function carry(): void {
    checksum += BigInt(sum)
    sum = 0
  }

  return {
    /** @returns the ordinal number of the row in the table */
    row(check: number, isFault: boolean): number {
      elements += 1
      if (isFault) faults += 1
      sum += check
      if (sum >= SAFE_SUM) carry()
      return elements
    },
    forgotten(): void {
      elements += 1
      forgotten += 1
    },
    totals(): IncomingTotals {
      carry()
      return { elements, faults, forgotten, checksum }
    },
    reset(to: IncomingTotals): void {
      ;({ elements, faults, forgotten, checksum } = to)
      sum = 0
    },
  }
}

/**
 * Finds every resource that has a table in `staging`, even if the configuration no longer uses the resource's
 * source. For a lookup resource, the list `contents` is empty.
 */
export async function findKnownResources(db: Db) {
  const rows = await db.selectFrom('migration.resources').orderBy('table_name').selectAll().execute()
  return rows.map(({ table_name, source, resource, contents }) => {
    return { table: `staging.${table_name}` as keyof StagingTables, source, resource, contents }
  })
}
