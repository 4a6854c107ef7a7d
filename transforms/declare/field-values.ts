import type { Content, Fields, FieldValue } from '../../sql/tables.ts'
import { platformName } from './custom-fields.ts'

/**
 * All fields of one item in one object. Platform fields have their own name, and custom fields have the name
 * `custom.<name>`.
 */
export type FlatFields = Readonly<Record<string, FieldValue>>

export function flatFields({ custom, ...fields }: Fields): FlatFields {
  if (custom === undefined) return fields as FlatFields
  const own = Object.entries(custom).map(([name, value]) => [platformName(name), value])
  return { ...fields, ...Object.fromEntries(own) }
}

/** Platform fields that make up the name of an item, in the order in which they are shown. */
export const NAMES: Readonly<Record<Content, readonly string[]>> = {
  agenda: ['name'],
  attendees: ['firstName', 'lastName'],
  speakers: ['firstName', 'lastName'],
}

/**
 * Returns the title of a session or the name of a person; the result is empty if the item has neither.
 *
 * @param shown function that returns the text to show for a field of the name; if left out, the field's value
 *   is shown
 */
export function nameOf(
  content: Content,
  fields: FlatFields,
  shown: (field: string, value: FieldValue | undefined) => string = (_, value) => plainText(value),
): string {
  return NAMES[content]
    .map((field) => shown(field, fields[field]))
    .filter((text) => text !== '')
    .join(' ')
}

function plainText(value: FieldValue | undefined): string {
  if (value === undefined) return ''
  return isList(value) ? value.join(' ') : textOf(value)
}

/** Returns a single value (not a list) as text. A number keeps its digits. */
export function textOf(value: Exclude<FieldValue, readonly string[]>): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function isList(value: FieldValue): value is readonly string[] {
  return Array.isArray(value)
}

/**
 * Replaces the text of a value, or each text in a list. A number or flag keeps its type if `replace` returns
 * its text unchanged.
 */
export function mapTexts(value: FieldValue, replace: (text: string) => string): FieldValue {
  if (isList(value)) return value.map(replace)
  const text = textOf(value)
  const replaced = replace(text)
  return replaced === text ? value : replaced
}

/** Returns true if two values of a field are equal. Numbers are compared by value: 1.5 equals 1.50. */
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

/** The fields that an item should have, from one run until just before another run. */
export interface ItemVersion {
  readonly fields: FlatFields
  readonly fromRun: string
  readonly toRun: string | null
}

/**
 * Finds the runs that set or removed the current value of one field.
 *
 * @param versions versions of one item, oldest first; between two versions there may be a time without the
 *   item
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
    /** First run that ever set the current value; null if the field has no value now. */
    firstRun: valueIn(last) === null ? null : (versions.find(isSame)?.fromRun ?? null),
    /**
     * Last run that set the current value. If the field has no value now, this is the last run that removed
     * the value.
     */
    lastRun: since.fromRun,
    before: before === undefined || before.toRun !== since.fromRun ? null : valueIn(before),
  }
}
