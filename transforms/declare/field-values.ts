import type { Fields, FieldValue } from '../../sql/tables.ts'
import { platformName } from '../resources/custom-fields.ts'

/** Platform fields of one item with custom ones beside the others, as `custom.<name>`. */
export type FlatFields = Readonly<Record<string, FieldValue>>

export function flatFields({ custom, ...fields }: Fields): FlatFields {
  if (custom === undefined) return fields as FlatFields
  const own = Object.entries(custom).map(([name, value]) => [platformName(name), value])
  return { ...fields, ...Object.fromEntries(own) }
}

/** A value that is no list, as text: numbers with their digits. */
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

/** Whether two values are the same: 1.5 and 1.50 are. */
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
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits
}
