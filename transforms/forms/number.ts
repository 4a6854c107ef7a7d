import { isWideNumber, readText } from '../rules/values.ts'
import { type Form, LEFT_OUT, ofText } from './form.ts'

/** A number by the grammar of JSON, its digits as written. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

export const number: Form = {
  says: 'a number',
  rule: 'The number, its digits as written.',
  read(value) {
    const text = readText(value)
    if (text.value === null) return ofText(text)
    if (!NUMBER.test(text.value) || isWideNumber(text.value)) return LEFT_OUT
    return { ...ofText(text), value: JSON.rawJSON(text.value) }
  },
}
