import type { FoundRecords } from '../../loaders/explanation/records.ts'
import type { StagingTables } from '../../sql/tables.ts'
import { type FieldOrigin, originsOfColumn } from '../../transforms/lineage.ts'
import type { Json, JsonObject } from '../../transforms/rules/json.ts'
import { valueByKey } from '../../transforms/rules/keys.ts'
import type { StagedColumn } from '../../transforms/source-lineage.ts'
import type { AnyTransform } from '../../transforms/source-transform.ts'
import type { IntegrationConfig } from '../config.ts'
import type { Origin } from './explanation.ts'
import type { Veil } from './veil.ts'

/** What it takes to say what stands at a place of the source. */
export interface Sight {
  readonly transform: AnyTransform
  readonly source: IntegrationConfig['source']
  /** Whether keys of records match in any case. */
  readonly foldsKeys: boolean
  readonly records: FoundRecords
  /** Columns that name other records: their ids are told as references. */
  readonly lists: readonly StagedColumn[]
  readonly veil: Veil
}

/** What stands where a field comes from; of records that are not joined to this one, nothing. */
export function originsAt(from: readonly FieldOrigin[], sight: Sight): readonly Origin[] {
  return from.flatMap((origin) => {
    const column = columnOf(origin)
    const sourceId = sight.records.ids.get(column[0])
    return sourceId === undefined ? [] : [originAt(origin, column, sourceId, sight)]
  })
}

/** What stands where a column comes from. */
export function originsOf(column: StagedColumn, sight: Sight): readonly Origin[] {
  return originsAt(originsOfColumn(sight.transform, column), sight)
}

/** JSON path of an origin, by the key that the configuration names. */
function pathOf({ path, option }: Pick<FieldOrigin, 'path' | 'option'>, source: Sight['source']): string {
  const keys: Readonly<Record<string, string>> = 'fields' in source ? source.fields : {}
  const key = option === undefined ? undefined : keys[option.replace('source.fields.', '')]
  if (key === undefined) return path
  return /^[A-Za-z_]\w*$/.test(key) ? `$.${key}` : `$[${JSON.stringify(key)}]`
}

function originAt(origin: FieldOrigin, column: StagedColumn, sourceId: string, sight: Sight): Origin {
  const { source, foldsKeys, records, lists, veil } = sight
  const { resource, option } = origin
  const path = pathOf(origin, source)
  const place = { resource, sourceId: veil.id(sourceId), path, ...(option === undefined ? {} : { option }) }
  const doc = records.docs.get(column[0])
  if (doc === undefined) return { ...place, there: 'no_record' }
  const value = valueAt(doc, path, foldsKeys)
  if (value === undefined) return { ...place, there: 'absent' }
  if (value === null) return { ...place, there: 'null' }
  if (typeof value === 'string' && value.trim() === '') return { ...place, there: 'blank' }
  if (Array.isArray(value) && value.length === 0) return { ...place, there: 'empty' }
  if (lists.some(([table, name]) => table === column[0] && name === column[1]))
    return { ...place, there: 'list' }
  return { ...place, there: 'value', value: veil.raw(column, value) }
}

function columnOf({ column }: FieldOrigin): StagedColumn {
  const end = column.lastIndexOf('.')
  return [column.slice(0, end) as keyof StagingTables, column.slice(end + 1)]
}

function valueAt(doc: JsonObject, path: string, foldsKeys: boolean): Json | undefined {
  const key = path.startsWith('$.') ? path.slice(2) : String(JSON.parse(path.slice(2, -1)))
  if (!foldsKeys) return doc[key]
  const folded = key.toLowerCase()
  const spelled = Object.keys(doc).find((name) => name.toLowerCase() === folded)
  return valueByKey(doc, folded) ?? (spelled === undefined ? undefined : doc[spelled])
}
