import { sql } from 'kysely'
import type { Cell, Database } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../../transforms/declare/resource.ts'

export interface IncomingRow {
  readonly sourceId: string | null
  /** Values of the resource's columns, in their order; empty where no document exists. */
  readonly values: readonly Cell[]
  readonly warnings: readonly string[]
  /** The record as JSON text that jsonb can hold; null where it is quarantined, or its version is known to be current. */
  readonly doc: string | null
  readonly versionHash: string
  /** When it was changed last, as the source writes it; null or left out where that was not asked for, or cannot be read. */
  readonly changedAt?: string | null
  readonly fault: { readonly path: string; readonly message: string } | null
  /** True if it is of someone who was forgotten: it is counted, and nothing of it is written. */
  readonly isForgotten?: boolean
}

/** Counts and a sum over the records that were written, to be compared with what the table holds. */
export interface IncomingTotals {
  readonly elements: number
  readonly faults: number
  /** Records among them that were not written, since they are of people who were forgotten. */
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
 * Opens the incoming table of a resource: a new one, on PostgreSQL unlogged, since a crash that empties it is seen by
 * its totals. On PGlite the death of a run is such a crash, so there the table is a plain one and can be taken over.
 *
 * @param from totals of a table that is there and is added to; null makes a new one
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
    /** @returns a promise to wait for before the next row, if any */
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
    /** Takes back every record added since, for a page that is read again. */
    async rewind(to: IncomingTotals): Promise<void> {
      await sink.commit()
      await database.kysely.deleteFrom(name).where('ordinal', '>', to.elements).execute()
      count.reset(to)
    },
    commit: () => sink.commit(),
    close: () => sink.close(),
  }
}

/** The table that takes the records of one resource in one run, before they are merged into staging. */
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
          // Most documents are not kept, since staging has them already: these need not be taken apart.
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
 * Returns whether the database holds what was read: a crash of the server may have emptied the incoming table, and a record without a
 * document is held only by the current version that it was known as.
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

/** Returns whether a record is in an incoming table, and how many came that had come before. */
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

/** Six bytes of the version's hash: their sum shows whether the rows that arrived are those that were read. */
function rowCheck(hash: string): number {
  return Number.parseInt(hash.slice(0, 12), 16)
}

/** Half of what a number counts exactly, which leaves room for one more check. */
const SAFE_SUM = 2 ** 52

/** Counts what is added. Hot: once for each record, so a sum is a plain number for as long as that is exact. */
function countFrom(start: IncomingTotals) {
  let { elements, faults, forgotten, checksum } = start
  let sum = 0

  function carry(): void {
    checksum += BigInt(sum)
    sum = 0
  }

  return {
    /** @returns the ordinal of the row */
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

/** Every resource with a table in `staging`, whether or not the configuration names its source; a lookup has no contents. */
export async function findKnownResources(db: Db) {
  const rows = await db.selectFrom('migration.resources').orderBy('table_name').selectAll().execute()
  return rows.map(({ table_name, source, resource, contents }) => {
    return { table: `staging.${table_name}` as keyof StagingTables, source, resource, contents }
  })
}
