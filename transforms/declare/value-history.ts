import type { FieldValue as Value } from '../../sql/tables.ts'
import type { FlatFields } from './field-values.ts'

/** What an item was desired to be, from one run up to, not including, another. */
export interface ItemVersion {
  readonly fields: FlatFields
  readonly fromRun: string
  readonly toRun: string | null
}

/**
 * Finds the runs that made the value of one field what it is.
 *
 * @param versions of one item, oldest first; between two there may have been none
 * @returns null where the field never had a value
 */
export function historyOf(versions: readonly ItemVersion[], field: string) {
  return through(versions, ({ fields }) => fields[field] ?? null)
}

export function historyOfItem(versions: readonly ItemVersion[], uniqueId: string) {
  return through(versions, () => uniqueId)
}

function through(versions: readonly ItemVersion[], valueIn: (version: ItemVersion) => Value | null) {
  const last = versions.at(-1)
  if (last === undefined || versions.every((version) => valueIn(version) === null)) return null
  const value = JSON.stringify(valueIn(last))
  const isSame = (version: ItemVersion) => JSON.stringify(valueIn(version)) === value
  let place = versions.length - 1
  for (; place > 0; place--) {
    const [before, version] = [versions[place - 1], versions[place]]
    if (before === undefined || !isSame(before) || before.toRun !== version?.fromRun) break
  }
  const [before, since] = [versions[place - 1], versions[place] ?? last]
  return {
    /** First run that ever brought this value; null where there is no value now. */
    firstRun: valueIn(last) === null ? null : (versions.find(isSame)?.fromRun ?? null),
    /** Run that brought it last, or took the value away. */
    lastRun: since.fromRun,
    before: before === undefined || before.toRun !== since.fromRun ? null : valueIn(before),
  }
}
