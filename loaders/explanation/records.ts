import type { Db } from '../../sql/tables.ts'
import type { StagedRecords } from '../../transforms/declare/source-grounds.ts'
import type { AnyTransform } from '../../transforms/declare/source-transform.ts'
import { lookupsOf } from '../../transforms/registry/lineage.ts'
import { asAny, type StagingTables } from '../../transforms/resources/staging-tables.ts'
import { isJsonObject, type Json, type JsonObject, toJsonNumber } from '../../transforms/rules/json.ts'

type Table = keyof StagingTables

/** A staged record, and those that are joined to it. */
export interface FoundRecords {
  /** By table; a lookup that the source does not have is not there. */
  readonly rows: StagedRecords
  /** Ids of the records by table, those of lookups that are not there included. */
  readonly ids: ReadonlyMap<Table, string>
  readonly docs: ReadonlyMap<Table, JsonObject>
}

/** Finds the newest version of a record, and the current ones of what it refers to; null where there never was one. */
export async function findRecords(
  db: Db,
  integrationId: string,
  source: AnyTransform,
  table: Table,
  sourceId: string,
): Promise<FoundRecords | null> {
  const record = await findRecord(db, integrationId, table, sourceId)
  if (record === undefined) return null
  const found: [Table, string, typeof record | undefined][] = [[table, sourceId, record]]
  for (const { resource, by } of lookupsOf(source, table)) {
    const lookup = resource.table as Table
    const id = record[by.name as 'source_id']
    if (id === null) continue
    const joined = await findRecord(db, integrationId, lookup, id)
    found.push([lookup, id, joined?.valid_to_run === null ? joined : undefined])
  }
  const there = found.flatMap(([name, , row]) => (row === undefined ? [] : [[name, row] as const]))
  return {
    rows: Object.fromEntries(there),
    ids: new Map(found.map(([name, id]) => [name, id])),
    docs: new Map(there.map(([name, row]) => [name, toDocument(row.doc_text)])),
  }
}

function findRecord(db: Db, integrationId: string, table: Table, sourceId: string) {
  return db
    .selectFrom(asAny(table))
    .where('integration_id', '=', integrationId)
    .where('source_id', '=', sourceId)
    .orderBy('valid_from_run', 'desc')
    .limit(1)
    .selectAll()
    .select((eb) => eb.cast<string>('doc', 'text').as('doc_text'))
    .executeTakeFirst()
}

/** JSON with the digits of its numbers as they are stored. */
export function toDocument(text: string): JsonObject {
  // The language's types do not know the third argument yet; Node has it since version 21.
  const withDigits = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? toJsonNumber(context.source) : value
  const document = JSON.parse(text, withDigits) as Json
  return isJsonObject(document) ? document : {}
}
