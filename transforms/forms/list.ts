import { isJsonObject, type Json, readText } from '../rules/values.ts'
import { type CustomValue, type Form, LEFT_OUT } from './form.ts'

export const list: Form = {
  says: 'a list of texts',
  rule: 'The texts of the list, in the order of the source, each once.',
  read(value) {
    if (isJsonObject(value) || typeof value === 'boolean') return LEFT_OUT
    const elements: readonly Json[] = Array.isArray(value) ? value : [value]
    const texts = new Set<string>()
    const marks = new Set<CustomValue['marks'][number]>()
    for (const element of elements) {
      const { value: text, mark } = readText(element)
      if (mark === 'not_text') marks.add('left_out')
      if (text === null || texts.has(text)) continue
      texts.add(text)
      if (mark === 'unsupported_character') marks.add(mark)
    }
    return { value: texts.size === 0 ? null : [...texts], marks: [...marks] }
  },
}
