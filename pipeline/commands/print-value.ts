import type { FieldValue as Value } from '../../sql/tables.ts'
import { isList, textOf } from '../../transforms/declare/field-values.ts'
import { HIDDEN } from '../text/personal.ts'
import { quoted, quotedPair, word } from '../text/visible.ts'

const ELEMENTS = 10

/** Whether a value, or one element of a list, must not be shown. */
type IsHidden = (text: string) => boolean

/** The value of a field before and now; of a list what was added and removed; of a field that is new or gone its one value. */
export function describeValues(before: Value | undefined, after: Value | undefined, isHidden: IsHidden) {
  if (before === undefined || after === undefined) return describeValue(before ?? after ?? [], isHidden)
  if (isList(before) && isList(after)) return describeLists(before, after, isHidden)
  const isPair = typeof before === 'string' && typeof after === 'string'
  if (isPair && !isHidden(before) && !isHidden(after)) return quotedPair(before, after).join(' -> ')
  return `${describeValue(before, isHidden)} -> ${describeValue(after, isHidden)}`
}

function describeValue(value: Value, isHidden: IsHidden): string {
  if (isList(value)) return listed(value, '', isHidden)
  const text = textOf(value)
  if (isHidden(text)) return HIDDEN
  return typeof value === 'string' ? quoted(text) : text
}

function describeLists(before: readonly string[], after: readonly string[], isHidden: IsHidden): string {
  const [added, removed] = [without(after, before), without(before, after)]
  if (added.length + removed.length === 0) return `in another order: ${listed(after, '', isHidden)}`
  const parts = [listed(added, '+ ', isHidden), listed(removed, '- ', isHidden)]
  return parts.filter((part) => part !== '').join(', ')
}

function listed(list: readonly string[], sign: string, isHidden: IsHidden): string {
  const named = list.slice(0, ELEMENTS).map((text) => sign + (isHidden(text) ? HIDDEN : word(text)))
  const more = list.length > ELEMENTS ? [`${sign}${list.length - ELEMENTS} more`] : []
  return [...named, ...more].join(', ')
}

/** What a list has more than another, each element as often as it has it more. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const text of other) left.set(text, (left.get(text) ?? 0) + 1)
  return list.filter((text) => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count <= 0
  })
}
