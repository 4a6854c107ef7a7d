import { readUrl, type Url } from '../rules/urls.ts'
import { isJsonObject, isWideNumber, type Json, readFlag, readText, toList } from '../rules/values.ts'

/**
 * The value of a custom field after reading, with warnings. The value is null if the platform gets no value
 * for the field.
 */
export interface CustomValue {
  readonly value: Json
  readonly warnings: readonly ('left_out' | 'unsupported_character')[]
}

/** A form (type) of custom fields: its name, its explanation, and the function that reads a value. */
export interface Form {
  /** Name of the form in messages, for example `a number`. */
  readonly says: string
  /** Sentence in the output of `explain` about how a value of this form is read. */
  readonly rule: string
  /**
   * Reads a value that is neither null nor blank. The warning is `left_out` if the value does not have this
   * form.
   */
  readonly read: (value: Json) => CustomValue
}

export const ABSENT: CustomValue = { value: null, warnings: [] }
export const LEFT_OUT: CustomValue = { value: null, warnings: ['left_out'] }

/** Matches the text of a number in JSON syntax. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The forms that a custom field can have, by the value of `as` in event-sync.yaml. */
export const FORMS = {
  text: {
    says: 'text',
    rule: 'The text, trimmed. If the text is blank, the field is left out.',
    read: (value) => ofText(readText(value)),
  },
  number: {
    says: 'a number',
    rule: 'The number, with all digits as the source writes them.',
    read(value) {
      const text = readText(value)
      if (text.value === null) return ofText(text)
      if (!NUMBER.test(text.value) || isWideNumber(text.value)) return LEFT_OUT
      return { ...ofText(text), value: JSON.rawJSON(text.value) }
    },
  },
  flag: {
    says: 'true or false',
    rule: 'True, yes or 1; false, no or 0; in any case; anything else is left out.',
    read(value) {
      const flag = readFlag(value)
      return flag.warning === null ? { value: flag.value, warnings: [] } : LEFT_OUT
    },
  },
  url: {
    says: 'an address that begins with http:// or https://',
    rule: 'The address, if it begins with http:// or https://; otherwise the field is left out. A new signature in an address does not count as a change.',
    read: (value) => (typeof value === 'string' ? ofText(readUrl(value)) : LEFT_OUT),
  },
  list: {
    says: 'a list of texts',
    rule: 'The texts of the list, in the order of the source, each once.',
    read(value) {
      const list = toList(value)
      if (list === null && (isJsonObject(value) || typeof value === 'boolean')) return LEFT_OUT
      const elements = list ?? [value]
      const texts = new Set<string>()
      const warnings = new Set<CustomValue['warnings'][number]>()
      for (const element of elements) {
        const { value: text, warning } = readText(element)
        if (warning === 'not_text') warnings.add('left_out')
        if (text === null || texts.has(text)) continue
        texts.add(text)
        if (warning === 'unsupported_character') warnings.add(warning)
      }
      return { value: texts.size === 0 ? null : [...texts], warnings: [...warnings] }
    },
  },
} as const satisfies Readonly<Record<string, Form>>

/** @param as name of a form; the configuration is already validated, so the form exists */
export function formOf(as: string): Form {
  const form = Object.entries(FORMS).find(([name]) => name === as)?.[1]
  if (form === undefined) throw new Error(`there is no form "${as}" of a field`)
  return form
}

function ofText({ value, warning }: Url): CustomValue {
  if (value !== null) return { value, warnings: warning === 'unsupported_character' ? [warning] : [] }
  // The text was blank, or it became blank because a character that cannot be stored was dropped.
  return warning === 'unsupported_character' || warning === null ? ABSENT : LEFT_OUT
}
