import { readText } from '../rules/values.ts'
import { type Form, ofText } from './form.ts'

export const text: Form = {
  says: 'text',
  rule: 'The text, trimmed; left out where it is blank.',
  read: (value) => ofText(readText(value)),
}
