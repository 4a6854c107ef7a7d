import type { Kysely } from 'kysely'
import type { ItemKey } from '../../loaders/explanation/item.ts'
import type { FoundRecords } from '../../loaders/explanation/records.ts'
import { findNaming, findReasons } from '../../loaders/explanation/references.ts'
import type { Content, Tables } from '../../sql/tables.ts'
import type { ReferenceField, StagedColumn } from '../../transforms/declare/source-lineage.ts'
import type { AnyTransform } from '../../transforms/declare/source-transform.ts'
import { originsOfColumn, referencesOf, resourceOfTable, tableOf } from '../../transforms/registry/lineage.ts'
import { inByteOrder } from '../../transforms/rules/references.ts'
import type { Reference } from './explanation.ts'
import type { Redactor } from './redactor.ts'

/** Records that name others, by field. */
export type References = ReadonlyMap<string, readonly Reference[]>

/** @param contents that the run synced: references to others stay as given */
export async function findReferences(
  db: Kysely<Tables>,
  key: ItemKey,
  source: AnyTransform,
  records: FoundRecords,
  contents: readonly Content[],
  redactor: Redactor,
): Promise<References> {
  const found = new Map<string, readonly Reference[]>()
  for (const field of referencesOf(source, key.content)) {
    const named = await placesByName(db, key, source, records, field)
    const { content } = field
    const resource = resourceOfTable(tableOf(source, content))
    const ids = [...named.keys()]
    const isSynced = contents.includes(content)
    const reasons = isSynced ? await findReasons(db, key.integrationId, content, ids) : null
    const references = ids.map((id): Reference => {
      const reason = reasons === null ? '' : (reasons.get(id) ?? 'not at the source')
      const places = (named.get(id) ?? []).map((place) => ({
        ...place,
        sourceId: redactor.id(place.sourceId),
      }))
      const outcome = { isKept: reason === '', reason: reason || null }
      return { id: redactor.id(id), content, resource, named: places, ...outcome }
    })
    found.set(field.field, references)
  }
  return found
}

/** Ids that a field names, each with the records that name it. */
async function placesByName(
  db: Kysely<Tables>,
  { integrationId, uniqueId }: ItemKey,
  source: AnyTransform,
  { rows, ids }: FoundRecords,
  { column, namedBy }: ReferenceField,
) {
  const named = new Map<string, Reference['named'][number][]>()
  const add = (id: unknown, by: StagedColumn, sourceId: string) => {
    const [origin] = originsOfColumn(source, by)
    if (typeof id !== 'string' || origin === undefined) return
    const place = { resource: origin.resource, sourceId, path: origin.path }
    named.set(id, [...(named.get(id) ?? []), place])
  }
  const [table, name] = column
  for (const id of [Reflect.get(rows[table] ?? {}, name)].flat()) add(id, column, ids.get(table) ?? uniqueId)
  if (namedBy === undefined) return named
  for (const id of await findNaming(db, integrationId, namedBy, uniqueId)) add(id, namedBy, id)
  return new Map(inByteOrder([...named.keys()]).map((id) => [id, named.get(id) ?? []]))
}
