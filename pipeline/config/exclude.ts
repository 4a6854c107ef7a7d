import { z } from 'zod'
import { CONTENTS, type Content, type CustomField } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../../transforms/decide/platform-fields.ts'
import type { ExcludeRule } from '../../transforms/declare/contents.ts'
import { platformName } from '../../transforms/declare/custom-fields.ts'
import { type Condition, NAMED_CONDITIONS } from '../../transforms/declare/exclude-conditions.ts'
import { FORMS } from '../../transforms/declare/forms.ts'
import { storableText } from '../../transforms/rules/values.ts'
import { nearest } from '../../transforms/texts/nearest.ts'
import { withAnd } from '../../transforms/texts/with-and.ts'
import { oneOf, quoted } from '../settings/errors.ts'
import { integrationId, keyPathPattern, must, section, text } from '../settings/values.ts'
import type { Breach } from './rules.ts'

/** Pattern of the name of a custom field. */
const NAME = '^[a-z][A-Za-z0-9]{0,39}$'

function platformFieldsOf(content: Content): readonly string[] {
  return ['uniqueId', ...PLATFORM_FIELDS[content]]
}

const VALUE = 'text, a finite number, true or false'
/** Pattern of a character that is still present when the platform receives the text. */
const printed = String.raw`[^\s\u0000]`

/** A value to compare with, converted to text. */
const value = z
  .union(
    [
      z.string().regex(new RegExp(printed), {
        error: 'must not be blank; use {missing: true} for what is not there',
      }),
      z.number(),
      z.boolean(),
    ],
    { error: ({ input }) => `must be ${VALUE}, got ${quoted(input)}` },
  )
  .transform((one) => storableText(String(one)).trim())

/**
 * One value to compare with, or a list of such values. A field matches a list if it matches at least one
 * value of the list.
 */
const values = z.union(
  [value.transform((one) => [one]), z.array(value).min(1, { error: 'must name at least one value' })],
  { error: must(`${VALUE}, or a list of these`) },
)

const CONDITIONS = [...NAMED_CONDITIONS.keys()]
const TAKES = { texts: values, flag: z.boolean() }

const named = z
  .strictObject(
    Object.fromEntries(
      [...NAMED_CONDITIONS].map(([name, { takes, says }]) => [name, TAKES[takes].optional().describe(says)]),
    ),
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? issue.keys.map((key) => `unknown key${known(key, CONDITIONS, 'here')}`).join('\n')
          : undefined,
    },
  )
  .refine((given) => Object.keys(given).length === 1, {
    error: () => `must have exactly one of ${CONDITIONS.join(', ')}`,
    when: ({ value: given, issues }) => isMapping(given) && !issues.some(isOfUnknownKey),
  })
  .transform((given) => {
    const [[name, taken] = ['']] = Object.entries(given)
    return NAMED_CONDITIONS.get(name)?.of(taken) ?? z.NEVER
  })
  .meta({ minProperties: 1, maxProperties: 1 })

const condition = z
  .union([values.transform((all): Condition => ({ form: 'is', values: all })), named], {
    error: must(`${VALUE}, a list of these, or a mapping with one of ${CONDITIONS.join(', ')}`),
  })
  .describe(
    `What the field must be: a value, a list of which one matches, or one of ${CONDITIONS.join(', ')}.`,
  )

const conditions = (what: string) =>
  z
    .record(z.string(), condition, {
      error: must('a mapping of fields and what each must be, such as {company: TEST}'),
    })
    .refine((fields) => Object.keys(fields).length > 0, { error: () => 'must name at least one field' })
    .optional()
    .describe(what)
    .meta({ examples: [{ company: 'TEST' }], minProperties: 1 })

const contents = z
  .union(
    [
      z.enum(CONTENTS).transform((one) => [one]),
      z.array(z.enum(CONTENTS)).min(1, { error: `must name at least one of ${CONTENTS.join(', ')}` }),
    ],
    { error: must(`${oneOf(CONTENTS)}, or a list of these`) },
  )
  .transform((list) => CONTENTS.filter((content) => list.includes(content)))

const ruleSchema = section({
  name: integrationId()
    .describe('Its name in the reason of what it excludes, excluded_by_rule:<name>; must be unique.')
    .meta({ examples: ['test-people'] }),
  content: contents.describe('Content, or contents, that it is for.').meta({ examples: ['attendees'] }),
  where: conditions(
    'Excludes the items of which every one of these fields matches; left out: unless says which.',
  ),
  unless: conditions(
    'Excludes the items of which at least one of these fields does not match; left out: where says which.',
  ),
})
  .refine(({ where, unless }) => (where === undefined) !== (unless === undefined), {
    error: () => 'needs exactly one of where and unless',
    // Conditions are checked only without an unknown key, because that key may be a misspelt `where` or
    // `unless`.
    when: ({ value: given, issues }) => isMapping(given) && !issues.some(isOfUnknownKey),
  })
  .transform(
    ({ name, content, where, unless }): ExcludeRule => ({
      name,
      contents: content,
      isUnless: where === undefined,
      fields: where ?? unless ?? {},
    }),
  )
  .meta({
    anyOf: [
      { required: ['where'], properties: { where: true, unless: false } },
      { required: ['unless'], properties: { where: false, unless: true } },
    ],
    allOf: CONTENTS.map(ofItsFields),
  })

/** Returns the JSON Schema for the rules of one content, which can test only the fields of that content. */
function ofItsFields(content: Content) {
  const names = [{ enum: platformFieldsOf(content) }, { pattern: `^custom\\.${NAME.slice(1)}` }]
  const fields = { type: 'object', propertyNames: { anyOf: names } }
  const isNamed = { anyOf: [{ const: content }, { type: 'array', contains: { const: content } }] }
  return {
    if: { properties: { content: isNamed } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { where: fields, unless: fields } },
  }
}

function isMapping(given: unknown): boolean {
  return typeof given === 'object' && given !== null
}

/** Returns true for an unknown key of the mapping itself, and false for one inside a nested mapping. */
function isOfUnknownKey({ code, path = [] }: z.core.$ZodRawIssue): boolean {
  return code === 'unrecognized_keys' && path.length === 0
}

export const excludeSchema = z
  .array(ruleSchema)
  .optional()
  .describe(
    `Rules that leave items out which would be synced otherwise, by their fields; the first that matches counts. With where, what matches in every field is left out; with unless, what does not match in one. A field matches a value, one of a list of values, or one of ${CONDITIONS.join(', ')}, as in {contains: a} and {missing: true}; left out: none.`,
  )
  .meta({ examples: [[{ name: 'test-people', content: 'attendees', where: { company: 'TEST' } }]] })

const anything = z.unknown().optional()
/** Parses a mapping. For any other value the result is an empty mapping. */
const keys = z.record(z.string(), z.unknown()).catch({})
// The parser has already converted valid rules to the type `ExcludeRule`. An invalid rule still has the keys
// that the user wrote.
const looseRules = z
  .array(
    z
      .object({
        name: anything,
        content: anything,
        contents: anything,
        isUnless: anything,
        where: keys,
        unless: keys,
        fields: keys,
      })
      .transform(({ name, content, contents: all, isUnless, where, unless, fields }) => ({
        name,
        contents: CONTENTS.filter((one) => [content, all].flat().includes(one)),
        where: isUnless === false ? fields : where,
        unless: isUnless === true ? fields : unless,
      }))
      .catch({ name: undefined, contents: [], where: {}, unless: {} }),
  )
  .catch([])

/**
 * Finds mistakes in exclude rules that only become visible when several keys are compared. The rules may also
 * have other mistakes, which are reported elsewhere.
 *
 * @param exclude value of `exclude` of an integration
 * @param fields value of `fields` of the integration
 */
export function brokenExcludeRules(exclude: unknown, fields: unknown): readonly Breach[] {
  if (exclude === undefined) return []
  const declared = keys.parse(fields)
  const fieldsOfContent = (content: Content) => [
    ...platformFieldsOf(content),
    ...Object.keys(keys.parse(declared[content])).map(platformName),
  ]
  const rules = looseRules.parse(exclude)
  return rules.flatMap(({ name, contents: of, where, unless }, index) => {
    const first = rules.findIndex((other) => other.name === name)
    const message = `${quoted(name)} is the name of exclude[${first}] too; each rule needs its own`
    const repeated = name !== undefined && first < index ? [{ path: [index, 'name'], message }] : []
    const [all = [], ...others] = of.map(fieldsOfContent)
    const shared = all.filter((field) => others.every((names) => names.includes(field)))
    const unknown = Object.entries({ where, unless }).flatMap(([key, conditionsOf]) =>
      Object.keys(conditionsOf).flatMap((field) => {
        const lacking = of.filter((content) => !fieldsOfContent(content).includes(field))
        if (lacking.length === 0) return []
        const lack = `${withAnd(lacking)} ${lacking.length === 1 ? 'has' : 'have'} no field of this name`
        return [{ path: [index, key, field], message: lack + known(field, shared, `in ${withAnd(of)}`) }]
      }),
    )
    return [...repeated, ...unknown]
  })
}

/** Returns a text that lists the known names, for a message about an unknown name. */
function known(name: string, names: readonly string[], where: string): string {
  const meant = nearest(name, names)
  const begin = meant === undefined ? '; known' : `; did you mean ${meant}? Known`
  return `${begin} ${where}: ${names.join(', ')}`
}

/** Names that a custom field cannot have, whatever its content is. */
const TAKEN: ReadonlySet<string> = new Set([...Object.values(PLATFORM_FIELDS).flat(), 'uniqueId', 'custom'])

const form = z
  .enum(Object.keys(FORMS))
  .default('text')
  .describe(`What its value is: ${oneOf(Object.values(FORMS).map(({ says }) => says))}.`)

const pathKey = text()
  .refine((path) => path === '' || path.split('.').every((key) => key !== ''), {
    error: must('a key, or keys with a dot between each two'),
  })
  .describe('Key of the record that the item is made of; dots lead into objects.')
  .meta({ pattern: keyPathPattern })

const fieldSchema = z
  .union([pathKey, section({ from: pathKey, as: form })], {
    error: must('a key of the record as text, or a mapping of from and as'),
  })
  .describe('The place of its value in the record, and its form.')

function fieldsOf(content: Content) {
  return z
    .record(z.string(), fieldSchema, {
      error: must('a mapping of names and keys of the record, such as {level: Level}'),
    })
    .superRefine(
      (fields, context) => {
        const before = new Map<string, string>()
        for (const name of Object.keys(keys.parse(fields))) {
          const message = faultOfName(name, before.get(name.toLowerCase()))
          if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message })
          if (isName(name)) before.set(name.toLowerCase(), name)
        }
      },
      { when: () => true },
    )
    .transform((fields): Readonly<Record<string, CustomField>> => {
      const made = Object.entries(fields).map(([name, field]) => {
        const { from, as = 'text' } = typeof field === 'string' ? { from: field } : field
        return [name, { name, from, as }]
      })
      return Object.fromEntries(made)
    })
    .optional()
    .describe(`Fields of ${content}, by name; left out: none.`)
    .meta({ examples: [{ level: 'Level' }], propertyNames: { pattern: NAME, not: { enum: [...TAKEN] } } })
}

function isName(name: string): boolean {
  return new RegExp(NAME).test(name)
}

/**
 * Returns what is wrong with the name of a custom field, or undefined.
 *
 * @param other earlier name that differs only in upper and lower case
 */
function faultOfName(name: string, other: string | undefined): string | undefined {
  if (!isName(name)) {
    return `${quoted(name)} is no name of a field; use a small letter, then up to 39 letters and digits`
  }
  if (TAKEN.has(name)) return `${name} is a field of the platform already; give yours another name`
  if (other === undefined) return undefined
  return `${name} and ${other} differ only in case; give one of them another name`
}

export const customFieldsSchema = section({
  agenda: fieldsOf('agenda'),
  speakers: fieldsOf('speakers'),
  attendees: fieldsOf('attendees'),
})
  .optional()
  .describe(
    `Fields of your own, by content and name: a key of the record, where dots lead into objects, or {from: key, as: form} with ${oneOf(Object.keys(FORMS))} for form; the platform has them in custom; left out: none.`,
  )
  .meta({ examples: [{ agenda: { level: 'Level', credits: { from: 'CECredits', as: 'number' } } }] })
