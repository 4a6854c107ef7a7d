import type { Url } from '../rules/urls.ts'
import type { Json } from '../rules/values.ts'

/** A value of a custom field; null where there is none to send. */
export interface CustomValue {
  readonly value: Json
  readonly warnings: readonly ('left_out' | 'unsupported_character')[]
}

/** What a custom field can be. */
export interface Form {
  /** Such as `a number`. */
  readonly says: string
  /** How its value comes about, for `explain`. */
  readonly rule: string
  /** Reads a value that is neither null nor blank; what cannot be read so is `left_out`. */
  readonly read: (value: Json) => CustomValue
}

export const ABSENT: CustomValue = { value: null, warnings: [] }
export const LEFT_OUT: CustomValue = { value: null, warnings: ['left_out'] }

export function ofText({ value, warning }: Url): CustomValue {
  if (value !== null) return { value, warnings: warning === 'unsupported_character' ? [warning] : [] }
  // Blank once a character was dropped that no text can hold.
  return warning === 'unsupported_character' || warning === null ? ABSENT : LEFT_OUT
}
