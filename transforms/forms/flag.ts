import { type Form, LEFT_OUT } from './form.ts'

export const flag: Form = {
  says: 'true or false',
  rule: 'JSON true or false; anything else is left out.',
  read: (value) => (typeof value === 'boolean' ? { value, warnings: [] } : LEFT_OUT),
}
