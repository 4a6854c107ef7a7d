import type { Fields } from '../sql/tables.ts'

type Value = Fields[string]

/** What an item was desired to be, from one run up to, not including, another. */
export interface ItemVersion {
  readonly fields: Fields
  readonly fromRun: string
  /** Null while it is current. */
  readonly toRun: string | null
}

/** Through which runs a value came. */
export interface ValueHistory {
  /** First run that ever brought this value; null where there is no value now. */
  readonly firstRun: string | null
  /** Run that brought it last, or took the value away: since then it has stood without a break. */
  readonly lastRun: string
  /** Value until then; null where there was none, or no item. */
  readonly before: Value | null
}

/**
 * Finds the runs that made the value of one field what it is.
 *
 * @param versions of one item, oldest first; between two there may have been none
 * @returns null where the field never had a value
 */
export function historyOf(versions: readonly ItemVersion[], field: string): ValueHistory | null {
  return through(versions, ({ fields }) => fields[field] ?? null)
}

/** Finds the runs that made the item itself be there. */
export function historyOfItem(versions: readonly ItemVersion[], uniqueId: string): ValueHistory | null {
  return through(versions, () => uniqueId)
}

function through(
  versions: readonly ItemVersion[],
  valueIn: (version: ItemVersion) => Value | null,
): ValueHistory | null {
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
    firstRun: valueIn(last) === null ? null : (versions.find(isSame)?.fromRun ?? null),
    lastRun: since.fromRun,
    before: before === undefined || before.toRun !== since.fromRun ? null : valueIn(before),
  }
}
