import { isJsonObject, type Json, readText } from '../rules/values.ts'
import { type CustomValue, type Form, LEFT_OUT } from './form.ts'

export const list: Form = {
  says: 'a list of texts',
  rule: 'The texts of the list, in the order of the source, each once.',
  read(value) {
    if (isJsonObject(value) || typeof value === 'boolean') return LEFT_OUT
    const elements: readonly Json[] = Array.isArray(value) ? value : [value]
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
}
