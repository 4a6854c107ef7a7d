import { stringify } from 'yaml'
import type { z } from 'zod'
import { asElement, commentedOut, indented, type Line, laidOut } from './commented-lines.ts'
import { oneOf } from './messages.ts'
import { type configSchema, type JsonSchema, jsonSchema } from './schema.ts'

/** A configuration as people write it: what has a default may be missing. */
export type ConfigInput = z.input<typeof configSchema>

type Mapping = Readonly<Record<string, unknown>>

/** An integration is bound to its source: the other form would be another integration. */
const keysOfOneForm: ReadonlySet<string> = new Set(['source'])

/**
 * Writes a configuration as YAML in which every key of the schema stands, each with its description.
 *
 * Keys that the value does not have are commented out, with their default, or with an example where there is none;
 * so are the other forms of a mapping that has several. Taking away the `# ` in front of a key with a default
 * changes nothing.
 *
 * @param introduction lines of comment for the top of the file
 */
export function toCommentedYaml(value: ConfigInput, introduction: readonly string[]): string {
  const lines = Object.entries(propertiesOf(jsonSchema())).flatMap(([key, property]) => [
    { code: '', note: '' },
    ...linesOfKey(key, property, (value as Mapping)[key]),
  ])
  return [...introduction.map((text) => `# ${text}`), ...lines.flatMap(laidOut), ''].join('\n')
}

function linesOfMapping(form: JsonSchema, given: Mapping): Line[] {
  return Object.entries(propertiesOf(form)).flatMap(([key, property]) =>
    linesOfKey(key, property, given[key]),
  )
}

/** @param given undefined where the key is left out */
function linesOfKey(key: string, property: JsonSchema, given: unknown): Line[] {
  const forms = formsOf(property)
  const chosen = forms.find((form) => isOfForm(given, form)) ?? forms[0] ?? property
  const shown = linesOfValue(key, chosen, given ?? sampleOf(chosen), property.description ?? '')
  const others = keysOfOneForm.has(key) ? [] : forms.filter((form) => form !== chosen)
  return [
    ...(given === undefined ? commentedOut(shown) : shown),
    ...others.flatMap((form) => commentedOut(linesOfValue(key, form, sampleOf(form), 'Or, instead:'))),
  ]
}

function linesOfValue(key: string, form: JsonSchema, value: unknown, note: string): Line[] {
  if (isMapping(value)) return [{ code: `${key}:`, note }, ...indented(linesOfMapping(form, value))]
  if (Array.isArray(value) && value.every(isMapping)) {
    const elements = value.map((element) => linesOfMapping(elementsOf(form), element))
    return [{ code: `${key}:`, note }, ...elements.flatMap(asElement)]
  }
  const choice = form.enum === undefined ? '' : ` One of ${oneOf(form.enum)}.`
  return [{ code: `${key}: ${toFlow(value)}`, note: note + choice }]
}

/** The value that stands behind a `#`: all that is required or has a default. */
function sampleOf(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.properties === undefined) return schema.default ?? schema.examples?.[0]
  const shown = Object.entries(propertiesOf(schema)).filter(
    ([key, property]) => schema.required?.includes(key) || property.default !== undefined,
  )
  return Object.fromEntries(shown.map(([key, property]) => [key, sampleOf(property)]))
}

/** Whether every key of the form that takes one value only has that value. */
function isOfForm(value: unknown, form: JsonSchema): boolean {
  return Object.entries(propertiesOf(form)).every(
    ([key, property]) => property.const === undefined || Reflect.get(Object(value), key) === property.const,
  )
}

function formsOf(schema: JsonSchema): readonly JsonSchema[] {
  return (schema.oneOf ?? []).filter(isSchema)
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  const properties = Object.entries(schema.properties ?? {})
  return Object.fromEntries(properties.flatMap(([key, one]) => (isSchema(one) ? [[key, one]] : [])))
}

function elementsOf({ items }: JsonSchema): JsonSchema {
  return isSchema(items) ? items : {}
}

function isSchema(value: unknown): value is JsonSchema {
  return isMapping(value)
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value on one line. By itself, `...` or `---` in front would be taken for the border of a document. */
function toFlow(value: unknown): string {
  const flow = { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 } as const
  return stringify([value], flow).trimEnd().slice(1, -1)
}
