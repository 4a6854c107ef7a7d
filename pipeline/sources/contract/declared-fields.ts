import type { Content } from '../../../sql/tables.ts'
import type { DeclaredContent } from '../../../transforms/declare/content.ts'
import type { AnyTransform } from '../../../transforms/declare/source-transform.ts'
import type { ReadContext } from '../../../transforms/resources/column.ts'
import { type ColumnOf, keyIn } from '../../../transforms/resources/resource.ts'
import type { MappedField } from './fields.ts'

export type FieldWords = Pick<MappedField, 'clause' | 'sentence' | 'emptyMeans' | 'todo'>

/**
 * The fields of a source that become platform fields, resource by resource.
 *
 * @param words of a field: the resource that has it, its name at the source, and the option that may name another one
 */
export function mappedFields(
  { resources, contents, people }: AnyTransform,
  context: ReadContext,
  words: (resource: string, name: string, option: string | null) => FieldWords,
): readonly MappedField[] {
  return resources.flatMap((resource) =>
    Object.values(resource.columns).flatMap((column) => {
      const isOwnId = resource.name === people.resource && column.name === people.ownId
      const requiredFor = contentsWhere(contents, (content) => needs(content, column))
      const optionalFor = contentsWhere(
        contents,
        (content) =>
          !requiredFor.includes(content.content) &&
          (uses(content, column) || (isOwnId && content.records === resource)),
      )
      if (requiredFor.length + optionalFor.length === 0) return []
      const key = column.keys.find((one) => one === column.name) ?? column.keys[0] ?? column.name
      const name = keyIn(key, context)
      const option = typeof key === 'string' ? null : `source.fields.${key.option}`
      const said = words(resource.name, name, option)
      return [{ resource: resource.name, column: column.name, name, requiredFor, optionalFor, ...said }]
    }),
  )
}

function contentsWhere(
  contents: AnyTransform['contents'],
  isOne: (content: DeclaredContent<never>) => boolean,
): readonly Content[] {
  return contents.filter(isOne).map(({ content }) => content)
}

function isSame(one: ColumnOf, other: ColumnOf): boolean {
  return one.table === other.table && one.name === other.name
}

/** Whether there is no item without a value in the column. */
function needs({ fields, unique, uniqueId }: DeclaredContent<never>, column: ColumnOf): boolean {
  return (
    (uniqueId.isMissing !== undefined && isSame(unique, column)) ||
    Object.values(fields).some(
      ({ isMissing, from }) =>
        isMissing !== undefined && from.some((origin) => isSame(origin.column, column)),
    )
  )
}

function uses({ fields, namedBy }: DeclaredContent<never>, column: ColumnOf): boolean {
  return (
    (namedBy !== null && isSame(namedBy.column, column)) ||
    Object.values(fields).some(({ from }) => from.some((origin) => isSame(origin.column, column)))
  )
}
