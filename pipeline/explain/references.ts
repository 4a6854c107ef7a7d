import type { Kysely } from 'kysely'
import type { ItemKey } from '../../loaders/explanation/item.ts'
import type { FoundRecords } from '../../loaders/explanation/records.ts'
import { findNaming, findReasons } from '../../loaders/explanation/references.ts'
import type { Content, Tables } from '../../sql/tables.ts'
import {
  type FieldOrigin,
  originsOfColumn,
  referencesOf,
  resourceOfTable,
  tableOf,
} from '../../transforms/lineage.ts'
import { inByteOrder } from '../../transforms/rules/references.ts'
import type { ReferenceField } from '../../transforms/source-lineage.ts'
import type { AnyTransform } from '../../transforms/source-transform.ts'
import type { Reference } from './explanation.ts'
import type { Veil } from './veil.ts'

/** Records that name others, by field. */
export type References = ReadonlyMap<string, readonly Reference[]>

/**
 * Finds what the fields of an item name, and what they leave out.
 *
 * @param contents that the run synced: references to others stand as given
 */
export async function findReferences(
  db: Kysely<Tables>,
  key: ItemKey,
  source: AnyTransform,
  records: FoundRecords,
  contents: readonly Content[],
  veil: Veil,
): Promise<References> {
  const found = new Map<string, readonly Reference[]>()
  for (const field of referencesOf(source, key.content)) {
    const named = await namesOf(db, key, source, records, field)
    const ids = [...named.keys()]
    const isSynced = contents.includes(field.content)
    const reasons = isSynced ? await findReasons(db, key.integrationId, field.content, ids) : null
    found.set(
      field.field,
      ids.map((id) => {
        const reason = reasons === null ? '' : (reasons.get(id) ?? 'not at the source')
        const places = named.get(id) ?? []
        return {
          id: veil.id(id),
          content: field.content,
          resource: resourceOfTable(tableOf(source, field.content)),
          named: places.map((place) => ({ ...place, sourceId: veil.id(place.sourceId) })),
          isKept: reason === '',
          reason: reason === '' ? null : reason,
        }
      }),
    )
  }
  return found
}

type Places = Map<string, { resource: string; sourceId: string; path: string }[]>

/** Ids that a field names, each with the records that name it. */
async function namesOf(
  db: Kysely<Tables>,
  { integrationId, uniqueId }: ItemKey,
  source: AnyTransform,
  { rows, ids }: FoundRecords,
  { column, namedBy }: ReferenceField,
): Promise<Places> {
  const named: Places = new Map()
  const [table, name] = column
  const row: Readonly<Record<string, unknown>> = rows[table] ?? {}
  const value = row[name]
  const [origin] = originsOfColumn(source, column)
  add(named, Array.isArray(value) ? value : [value], origin, ids.get(table) ?? uniqueId)
  if (namedBy === undefined) return named
  const [other] = originsOfColumn(source, namedBy)
  for (const id of await findNaming(db, integrationId, namedBy, uniqueId)) add(named, [id], other, id)
  return new Map(inByteOrder([...named.keys()]).map((id) => [id, named.get(id) ?? []]))
}

function add(
  named: Places,
  ids: readonly unknown[],
  origin: FieldOrigin | undefined,
  sourceId: string,
): void {
  if (origin === undefined) return
  const { resource, path } = origin
  for (const id of ids) {
    if (typeof id !== 'string') continue
    const places = named.get(id) ?? []
    places.push({ resource, sourceId, path })
    named.set(id, places)
  }
}
