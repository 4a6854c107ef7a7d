import { readUrl } from '../rules/urls.ts'
import { type Form, LEFT_OUT, ofText } from './form.ts'

export const url: Form = {
  says: 'an http(s) address',
  rule: 'The address, if it is an http(s) one; else left out.',
  read: (value) => (typeof value === 'string' ? ofText(readUrl(value)) : LEFT_OUT),
}
