import { stringify } from 'yaml'
import type { z } from 'zod'
import { oneOf } from '../settings/errors.ts'
import { isMapping, type Mapping } from '../settings/yaml.ts'
import { type JsonSchema, jsonSchema } from './json-schema.ts'
import type { configSchema } from './schema.ts'

/** A line of YAML and the comment at the end of the line. */
export interface Line {
  readonly code: string
  readonly note: string
}

/** Column at which the comments begin. The constant below is the column at which they end at the latest. */
const noteColumn = 42
const lastColumn = 110

function indented(lines: readonly Line[]): Line[] {
  return lines.map(({ code, note }) => ({ code: `  ${code}`, note }))
}

/** Formats lines as an element of a list, after a blank line. */
function asElement(lines: readonly Line[], indentation = 2): Line[] {
  const element = lines.map(({ code, note }, index) => ({
    code: `${' '.repeat(indentation)}${index === 0 ? '- ' : '  '}${code}`,
    note,
  }))
  return [{ code: '', note: '' }, ...element]
}

/**
 * Turns lines into comments. A line that is a comment has no effect until a user removes the `# ` in front of
 * it.
 */
function commentedOut(lines: readonly Line[]): Line[] {
  return lines.map(({ code, note }) => ({ code: `# ${code}`, note }))
}

/**
 * Formats a line for the file, with its comment in a separate column.
 *
 * If the comment needs more lines, each further line begins with the same `# ` as the first. If an editor
 * removes the `# ` from a whole block, the further lines therefore stay comments.
 */
function laidOut({ code, note }: Line): string[] {
  const beginning = /^(?: *# )*/.exec(code)?.[0] ?? ''
  const notes = wrapped(note)
  const isLong = code.length > noteColumn - 2
  const rest = (isLong ? notes : notes.slice(1)).map((text) => withNote(beginning, text))
  return [withNote(code, isLong ? undefined : notes[0]), ...rest]
}

function withNote(code: string, note: string | undefined): string {
  return note === undefined ? code : `${code.padEnd(noteColumn)}# ${note}`
}

function wrapped(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ').filter((one) => one !== '')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length === 0 || noteColumn + '# '.length + longer.length > lastColumn) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines
}

/** A configuration in the form that people write: keys with a default may be left out. */
export type ConfigInput = z.input<typeof configSchema>

/**
 * Keys whose value has several forms, of which the file shows only the chosen form. An integration is bound
 * to its source, so another form of `source` would need another integration.
 */
const keysOfOneForm: ReadonlySet<string> = new Set(['source'])

/**
 * Writes a configuration as YAML. The text has every key of the schema with its description.
 *
 * Keys that the configuration does not have are commented out. A key that is commented out shows its default,
 * or an example if there is no default. If a mapping can have several forms, the forms that are not used are
 * commented out too. If a user removes the `# ` in front of a key that shows its default, nothing changes.
 */
export function toCommentedYaml(value: ConfigInput, introduction: readonly string[]): string {
  const lines = propertiesOf(jsonSchema()).flatMap(([key, property]) => [
    { code: '', note: '' },
    ...linesOfKey(key, property, (value as Mapping)[key]),
  ])
  return [...introduction.map((text) => `# ${text}`), ...lines.flatMap(laidOut), ''].join('\n')
}

/**
 * Writes an integration as an element of a YAML list, after a blank line. The element looks as
 * `toCommentedYaml` would write it.
 *
 * @param indentation number of blanks in front of the dash
 */
export function toCommentedElement(
  integration: ConfigInput['integrations'][number],
  indentation: number,
): readonly string[] {
  const { integrations } = jsonSchema().properties ?? {}
  const items = isSchema(integrations) && isSchema(integrations.items) ? integrations.items : {}
  return asElement(linesOfMapping(items, integration), indentation).flatMap(laidOut)
}

function linesOfMapping(form: JsonSchema, given: Mapping): Line[] {
  return propertiesOf(form).flatMap(([key, property]) => linesOfKey(key, property, given[key]))
}

/**
 * Returns the lines that describe one key.
 *
 * @param given value of the key; undefined if the configuration does not have the key
 */
function linesOfKey(key: string, property: JsonSchema, given: unknown): Line[] {
  const [example] = property.examples ?? []
  if (given === undefined && typeof example === 'object') {
    return commentedOut([{ code: `${key}: ${toFlow(example)}`, note: property.description ?? '' }])
  }
  const forms = (property.oneOf ?? []).filter(isSchema)
  const chosen = forms.find((form) => isOfForm(given, form)) ?? forms[0] ?? oneOrMany(property, given)
  const shown = linesOfValue(key, chosen, given ?? sampleOf(chosen), property.description ?? '')
  const others = keysOfOneForm.has(key) ? [] : forms.filter((form) => form !== chosen && !isOfOwnFile(form))
  return [
    ...(given === undefined ? commentedOut(shown) : shown),
    ...others.flatMap((form) => commentedOut(linesOfValue(key, form, sampleOf(form), 'Or, instead:'))),
  ]
}

function linesOfValue(key: string, form: JsonSchema, value: unknown, note: string): Line[] {
  if (isMapping(value) && form.properties !== undefined)
    return [{ code: `${key}:`, note }, ...indented(linesOfMapping(form, value))]
  if (Array.isArray(value) && value.every(isMapping)) {
    const of = isSchema(form.items) ? form.items : {}
    const elements = value.map((element) => linesOfMapping(of, element))
    return [{ code: `${key}:`, note }, ...elements.flatMap((element) => asElement(element))]
  }
  const choice = form.enum === undefined ? '' : ` One of ${oneOf(form.enum)}.`
  return [{ code: `${key}: ${toFlow(value)}`, note: note + choice }]
}

/**
 * Returns a sample value for a line that is commented out. The sample has the keys that are required or have
 * a default.
 */
function sampleOf(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.properties === undefined) return schema.default ?? schema.examples?.[0]
  const shown = propertiesOf(schema).filter(
    ([key, property]) => schema.required?.includes(key) || property.default !== undefined,
  )
  return Object.fromEntries(shown.map(([key, property]) => [key, sampleOf(property)]))
}

/**
 * Chooses the schema for a key that accepts one mapping or a list of mappings. The list schema is chosen only
 * if the value is a list.
 */
function oneOrMany(property: JsonSchema, given: unknown): JsonSchema {
  const forms = (property.anyOf ?? []).filter(isSchema)
  const isMeant = ({ properties, items }: JsonSchema) =>
    Array.isArray(given) ? isSchema(items) && items.properties !== undefined : properties !== undefined
  return forms.find(isMeant) ?? property
}

/**
 * Returns true if the value matches a form: each key that is a constant in the form has the same constant in
 * the value.
 */
function isOfForm(value: unknown, form: JsonSchema): boolean {
  return propertiesOf(form).every(
    ([key, property]) => property.const === undefined || Reflect.get(Object(value), key) === property.const,
  )
}

/**
 * Returns true for the form of types that a file of the user defines. The file shows no such form, because
 * its keys depend on the type.
 */
function isOfOwnFile({ properties = {} }: JsonSchema): boolean {
  return isSchema(properties.type) && properties.type.const === undefined
}

function propertiesOf({ properties = {} }: JsonSchema) {
  return Object.entries(properties).flatMap(([key, one]) => (isSchema(one) ? [[key, one] as const] : []))
}

function isSchema(value: unknown): value is JsonSchema {
  return isMapping(value)
}

/**
 * Writes a value on one line. The value is first written as the only element of a list, and the brackets are
 * then removed. Without a list around it, a value that begins with `...` or `---` would end the YAML
 * document.
 */
function toFlow(value: unknown): string {
  const flow = { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 } as const
  return stringify([value], flow).trimEnd().slice(1, -1)
}
