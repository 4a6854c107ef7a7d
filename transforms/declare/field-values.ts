import type { Content, Fields, FieldValue } from '../../sql/tables.ts'
import { platformName } from './custom-fields.ts'

/** Platform fields of one item with custom ones beside the others, as `custom.<name>`. */
export type FlatFields = Readonly<Record<string, FieldValue>>

export function flatFields({ custom, ...fields }: Fields): FlatFields {
  if (custom === undefined) return fields as FlatFields
  const own = Object.entries(custom).map(([name, value]) => [platformName(name), value])
  return { ...fields, ...Object.fromEntries(own) }
}

/** Platform fields that name an item for people, in the order in which they are read. */
export const NAMES: Readonly<Record<Content, readonly string[]>> = {
  agenda: ['name'],
  attendees: ['firstName', 'lastName'],
  speakers: ['firstName', 'lastName'],
}

/** Returns the title of a session, or the name of a person; empty if it has none. */
export function nameOf(
  content: Content,
  fields: FlatFields,
  shown: (field: string, value: FieldValue | undefined) => string,
): string {
  return NAMES[content]
    .map((field) => shown(field, fields[field]))
    .filter((text) => text !== '')
    .join(' ')
}

/** A value that is not a list, as text: numbers with their digits. */
export function textOf(value: Exclude<FieldValue, readonly string[]>): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function isList(value: FieldValue): value is readonly string[] {
  return Array.isArray(value)
}

/** A value with each of its texts replaced; a number or flag only where its text is. */
export function mapTexts(value: FieldValue, replace: (text: string) => string): FieldValue {
  if (isList(value)) return value.map(replace)
  const text = textOf(value)
  const replaced = replace(text)
  return replaced === text ? value : replaced
}

/** Returns whether two values are the same: 1.5 and 1.50 are. */
export function isSameValue(one: FieldValue | undefined, other: FieldValue | undefined): boolean {
  if (one === other) return true
  if (one === undefined || other === undefined) return false
  return isNumber(one) && isNumber(other)
    ? plainDigits(textOf(one)) === plainDigits(textOf(other))
    : JSON.stringify(one) === JSON.stringify(other)
}

function isNumber(value: FieldValue): value is number | { readonly rawJSON: string } {
  return typeof value === 'number' || JSON.isRawJSON(value)
}

function plainDigits(digits: string): string {
  if (!digits.includes('.')) return digits
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  return digits.slice(0, digits[end - 1] === '.' ? end - 1 : end)
}

/** Describes what an item was desired to be, from one run up to, not including, another. */
export interface ItemVersion {
  readonly fields: FlatFields
  readonly fromRun: string
  readonly toRun: string | null
}

/**
 * Finds the runs that made the value of one field what it is.
 *
 * @param versions those of one item, oldest first; between two there may have been none
 * @returns null if the field never had a value
 */
export function historyOf(versions: readonly ItemVersion[], field: string) {
  return through(versions, ({ fields }) => fields[field] ?? null)
}

export function historyOfItem(versions: readonly ItemVersion[], uniqueId: string) {
  return through(versions, () => uniqueId)
}

function through(versions: readonly ItemVersion[], valueIn: (version: ItemVersion) => FieldValue | null) {
  const last = versions.at(-1)
  if (last === undefined || versions.every((version) => valueIn(version) === null)) return null
  const value = JSON.stringify(valueIn(last))
  const isSame = (version: ItemVersion) => JSON.stringify(valueIn(version)) === value
  let index = versions.length - 1
  for (; index > 0; index--) {
    const [before, version] = [versions[index - 1], versions[index]]
    if (before === undefined || !isSame(before) || before.toRun !== version?.fromRun) break
  }
  const [before, since] = [versions[index - 1], versions[index] ?? last]
  return {
    /** First run that ever brought this value; null if it has no value now. */
    firstRun: valueIn(last) === null ? null : (versions.find(isSame)?.fromRun ?? null),
    /** Run that brought it last, or took the value away. */
    lastRun: since.fromRun,
    before: before === undefined || before.toRun !== since.fromRun ? null : valueIn(before),
  }
}
