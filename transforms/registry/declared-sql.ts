import type { Content } from '../../sql/tables.ts'
import { columnOfField, DECLARED_FIELDS, type PlatformField } from './platform-fields.ts'

/** `{{values of speakers}}`, or `{{values of agenda until endTime}}`, in a file of `sql/views`. */
const PLACEHOLDER = /\{\{(\w+) of (\w+)(?: (until|after) (\w+))?\}\}/g

export type FieldWords = Readonly<Record<Content, Readonly<Record<string, string>>>>

/** Puts what the sources declare where a file of SQL asks for it. */
export function withDeclared(text: string, words: FieldWords): string {
  const fill = (_: string, kind: string, content: Content, part?: string, border?: string) => {
    const all = DECLARED_FIELDS[content]
    const at = all.findIndex(({ name }) => name === border) + 1
    const fields = part === 'until' ? all.slice(0, at) : all.slice(at)
    switch (kind) {
      case 'values':
        return fields.map((field) => `${sqlOf(field)} as ${columnOfField(field.name)}`).join(',\n  ')
      case 'columns':
        return fields.map((field) => `item.${columnOfField(field.name)}`).join(',\n  ')
      case 'comments':
        return fields.map((field) => commentOn(content, field, words[content][field.name])).join('\n')
      case 'texts':
        return namesIn(fields.filter(({ isList }) => !isList))
      case 'lists':
        return namesIn(fields.filter(({ isList }) => isList))
      default:
        throw new Error(`no SQL is known for ${kind} of ${content}`)
    }
  }
  return text.replaceAll(PLACEHOLDER, fill)
}

function namesIn(fields: readonly PlatformField[]): string {
  return `array[${fields.map(({ name }) => `'${name}'`).join(', ')}]`
}

function sqlOf({ name, isList, isTime }: PlatformField): string {
  if (isList) return `array(select jsonb_array_elements_text(item.fields -> '${name}'))`
  return isTime ? `(item.fields ->> '${name}')::timestamptz` : `item.fields ->> '${name}'`
}

function commentOn(content: Content, field: PlatformField, words = field.name): string {
  const { name, sources, refersTo, isList } = field
  const what = words.replace(/\.$/, '')
  const only = sources.length === 1 ? ` (Source ${sources[0]?.toUpperCase()})` : ''
  const join = refersTo === null ? '' : `; join published.${refersTo}`
  const isPersonal = refersTo === null ? content !== 'agenda' : refersTo !== 'agenda'
  const ends = [...(isList ? ['Empty where there are none.'] : []), ...(isPersonal ? ['Personal.'] : [])]
  const text = [`${what}; platform field ${name}${only}${join}.`, ...ends].join(' ')
  return `comment on column published.${content}.${columnOfField(field.name)} is '${text.replaceAll("'", "''")}';`
}
