import type { FoundRecords } from '../../loaders/explanation/records.ts'
import type { CustomFields } from '../../sql/tables.ts'
import type { StagedColumn } from '../../transforms/declare/source-lineage.ts'
import type { AnyTransform } from '../../transforms/declare/source-transform.ts'
import { type FieldOrigin, originsOfColumn } from '../../transforms/registry/lineage.ts'
import type { StagingTables } from '../../transforms/resources/staging-tables.ts'
import { isJsonObject, type Json, type JsonObject } from '../../transforms/rules/json.ts'
import { valueByKey } from '../../transforms/rules/keys.ts'
import type { IntegrationConfig } from '../config/config.ts'
import type { Origin } from './explanation.ts'
import type { Redactor } from './redactor.ts'

/** What it takes to say what is at a place of the source. */
export interface ExplainContext {
  readonly transform: AnyTransform
  readonly source: IntegrationConfig['source']
  readonly custom: CustomFields
  /** Whether keys of records match in any case. */
  readonly foldsKeys: boolean
  readonly records: FoundRecords
  /** Columns that name other records: their ids are shown as references. */
  readonly lists: readonly StagedColumn[]
  readonly redactor: Redactor
}

/** What is where a field comes from; of records that are not joined to this one, nothing. */
export function originsAt(from: readonly FieldOrigin[], context: ExplainContext): readonly Origin[] {
  return from.flatMap((origin) => {
    const end = origin.column.lastIndexOf('.')
    const table = origin.column.slice(0, end) as keyof StagingTables
    const sourceId = context.records.ids.get(table)
    const column: StagedColumn = [table, origin.column.slice(end + 1)]
    return sourceId === undefined ? [] : [originAt(origin, column, sourceId, context)]
  })
}

/** What is where a column comes from. */
export function originsOf(column: StagedColumn, context: ExplainContext): readonly Origin[] {
  return originsAt(originsOfColumn(context.transform, column), context)
}

/** JSON path of an origin, by the key that the configuration names. */
function pathOf({ path, option }: FieldOrigin, source: ExplainContext['source']): string {
  const keys: Readonly<Record<string, string>> = 'fields' in source ? source.fields : {}
  const key = option === undefined ? undefined : keys[option.replace('source.fields.', '')]
  if (key === undefined) return path
  return /^[A-Za-z_]\w*$/.test(key) ? `$.${key}` : `$[${JSON.stringify(key)}]`
}

function originAt(origin: FieldOrigin, column: StagedColumn, id: string, context: ExplainContext): Origin {
  const { source, foldsKeys, records, lists, redactor } = context
  const { resource, option } = origin
  const path = pathOf(origin, source)
  const place = { resource, sourceId: redactor.id(id), path, ...(option !== undefined && { option }) }
  const doc = records.docs.get(column[0])
  if (doc === undefined) return { ...place, there: 'no_record' }
  const value = valueAt(doc, path, foldsKeys)
  if (value === undefined) return { ...place, there: 'absent' }
  if (value === null) return { ...place, there: 'null' }
  if (typeof value === 'string' && value.trim() === '') return { ...place, there: 'blank' }
  if (Array.isArray(value) && value.length === 0) return { ...place, there: 'empty' }
  if (lists.some(([table, name]) => table === column[0] && name === column[1]))
    return { ...place, there: 'list' }
  return { ...place, there: 'value', value: redactor.raw(column, value) }
}

function valueAt(doc: JsonObject, path: string, foldsKeys: boolean): Json | undefined {
  const keys = path.startsWith('$.') ? path.slice(2).split('.') : [String(JSON.parse(path.slice(2, -1)))]
  let value: Json | undefined = doc
  for (const key of keys) value = isJsonObject(value) ? memberOf(value, key, foldsKeys) : undefined
  return value
}

function memberOf(object: JsonObject, key: string, foldsKeys: boolean): Json | undefined {
  if (!foldsKeys) return Object.hasOwn(object, key) ? object[key] : undefined
  const folded = key.toLowerCase()
  const spelled = Object.keys(object).find((name) => name.toLowerCase() === folded)
  return valueByKey(object, folded) ?? (spelled === undefined ? undefined : object[spelled])
}
