import type { ReadContext } from '../../transforms/declare/column.ts'
import { keyIn, type Resource } from '../../transforms/declare/resource.ts'
import { isJsonObject } from '../../transforms/rules/values.ts'
import { withAnd } from '../../transforms/texts/with-and.ts'

/**
 * Finds columns for which a staged record has no value. Without this check, a column with a misspelt key would
 * pass all other tests, because its value is never read and never sent.
 *
 * A record that becomes an item cannot have some values, such as the time of its cancellation. Their key is in
 * the record with the value null.
 *
 * @param row the staged record of a resource
 * @returns a sentence for each column, which names the key and what to do
 */
export function emptyColumns(
  { name, columns, keys }: Resource,
  row: Readonly<Record<string, unknown>>,
  context: ReadContext,
): readonly string[] {
  const record = isJsonObject(row.doc) ? keys.prepare(row.doc) : {}
  return Object.values(columns).flatMap((column) => {
    const spelled = column.keys.map((key) => keyIn(key, context))
    const found = spelled.map(keys.keyOf).filter((key) => Object.hasOwn(record, key))
    const where = `column ${column.name} of ${name}: the record in \`full\``
    const quoted = withAnd(spelled.map((key) => `"${key}"`))
    if (found.length === 0) return `${where} has no ${quoted}; the key may be misspelt in the source file`
    const value = row[column.name]
    const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
    if (!isEmpty || found.every((key) => record[key] === null)) return []
    return `${where} has ${quoted}, but the column is empty; correct its rule, or the value in \`full\``
  })
}
