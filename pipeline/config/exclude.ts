import { z } from 'zod'
import type { Content, CustomField } from '../../sql/tables.ts'
import type { Condition, ExcludeRule } from '../../transforms/declare/contents.ts'
import { PLATFORM_FIELDS } from '../../transforms/registry/platform-fields.ts'
import { storableText } from '../../transforms/rules/values.ts'
import { oneOf, quoted } from '../settings/errors.ts'
import { section, text } from '../settings/values.ts'

const CONTENTS = ['agenda', 'speakers', 'attendees'] as const

/** A value to compare with, as the text that it is compared as. */
const value = z
  .union([z.string(), z.number(), z.boolean()], { error: () => 'must be text, a number, true or false' })
  .transform((one) => storableText(String(one)).trim())
  .refine((one) => one !== '', {
    error: () => 'must not be blank; use {missing: true} for what is not there',
  })

/** A value, or a list of values of which one must match. */
const values = z.union(
  [value.transform((one) => [one]), z.array(value).min(1, { error: 'must name at least one value' })],
  { error: () => 'must be a value, or a list of values that are not blank' },
)

const compared = (form: 'contains' | 'startsWith' | 'endsWith') =>
  section({ [form]: values }).transform((one): Condition => ({ form, values: Object.values(one).flat() }))

const condition = z
  .union(
    [
      values.transform((all): Condition => ({ form: 'is', values: all })),
      compared('contains'),
      compared('startsWith'),
      compared('endsWith'),
      section({ missing: z.boolean() }).transform(
        ({ missing }): Condition => ({ form: 'missing', isMissing: missing }),
      ),
    ],
    {
      error: () =>
        'must be a value, a list of values (none of them blank), or exactly one of contains, startsWith, endsWith and missing',
    },
  )
  .describe(
    'What the field must be: a value, a list of which one matches, or one of contains, startsWith, endsWith, missing.',
  )

const conditions = (what: string) =>
  z
    .record(z.string(), condition)
    .refine((fields) => Object.keys(fields).length > 0, { error: () => 'must name at least one field' })
    .optional()
    .describe(what)
    .meta({ examples: [{ company: 'TEST' }] })

const contents = z
  .union([z.enum(CONTENTS).transform((one) => [one]), z.array(z.enum(CONTENTS)).min(1)], {
    error: ({ input }) => `must be ${oneOf(CONTENTS)}, or a list of these, got ${quoted(input)}`,
  })
  .transform((list) => CONTENTS.filter((content) => list.includes(content)))

const ruleSchema = section({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, {
      error: ({ input }) =>
        `must be up to 63 small letters, digits and -, not beginning with -, got ${quoted(input)}`,
    })
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
  })
  .transform(
    ({ name, content, where, unless }): ExcludeRule => ({
      name,
      contents: content,
      isUnless: where === undefined,
      fields: where ?? unless ?? {},
    }),
  )

export const excludeSchema = z
  .array(ruleSchema)
  .superRefine((rules, context) => {
    for (const [index, { name }] of rules.entries()) {
      if (rules.findIndex((other) => other.name === name) === index) continue
      const message = `${quoted(name)} is the name of another rule too; each needs its own`
      context.addIssue({ code: 'custom', path: [index, 'name'], message })
    }
  })
  .optional()
  .describe(
    'Rules that leave items out which would be synced otherwise; the first that matches counts; left out: none.',
  )
  .meta({ examples: [[{ name: 'test-people', content: 'attendees', where: { company: 'TEST' } }]] })

/** Fields of rules that an integration does not have, each with its place. */
export function unknownFields(
  rules: readonly ExcludeRule[],
  customOf: (content: Content) => readonly string[],
): readonly { readonly path: readonly (string | number)[]; readonly message: string }[] {
  // A rule with a fault of its own is not made into one.
  return rules.flatMap(({ contents: of = [], isUnless, fields = {} }: Partial<ExcludeRule>, index) =>
    Object.keys(fields).flatMap((field) => {
      const has = (content: Content) =>
        field === 'uniqueId' ||
        PLATFORM_FIELDS[content].includes(field) ||
        customOf(content).some((name) => field === `custom.${name}`)
      const lacking = of.find((content) => !has(content))
      if (lacking === undefined) return []
      const message = `${lacking} has no field of this name; see the platform's contract, or custom.<name> of fields`
      return [{ path: ['exclude', index, isUnless ? 'unless' : 'where', field], message }]
    }),
  )
}

const NAME = '^[a-z][A-Za-z0-9]{0,39}$'

/** Names that a custom field cannot have, whatever its content. */
const TAKEN: ReadonlySet<string> = new Set([...Object.values(PLATFORM_FIELDS).flat(), 'uniqueId', 'custom'])

const form = z
  .enum(['text', 'number', 'flag', 'url', 'list'])
  .default('text')
  .describe('What its value is: text, a number, true or false, an http(s) address, or a list of texts.')

const path = () =>
  text().refine((keys) => keys.split('.').every((key) => key !== ''), {
    error: ({ input }) => `must be a key, or keys with a dot between each two, got ${quoted(input)}`,
  })

const pathKey = path().describe('Key of the record that the item is made of; dots lead into objects.')

const fieldSchema = z
  .union([pathKey, section({ from: pathKey, as: form })], {
    error: () => 'must be a key of the record, or a mapping of from and as',
  })
  .describe('Where its value is in the record, and what it is.')

function fieldsOf(content: Content) {
  return z
    .record(
      z.string().regex(new RegExp(NAME), {
        error: ({ input }) =>
          `${quoted(input)} is no name of a field: a small letter, then up to 39 letters and digits`,
      }),
      fieldSchema,
    )
    .superRefine((fields, context) => {
      const known = new Map<string, string>()
      for (const name of Object.keys(fields)) {
        const add = (message: string) => context.addIssue({ code: 'custom', path: [name], message })
        const other = known.get(name.toLowerCase())
        if (TAKEN.has(name)) add(`${name} is a field of the platform already; give yours another name`)
        else if (other !== undefined)
          add(`${name} and ${other} differ in case alone; give one of them another name`)
        known.set(name.toLowerCase(), name)
      }
    })
    .transform((fields): Readonly<Record<string, CustomField>> => {
      const named = Object.entries(fields).map(([name, field]) => {
        const { from, as = 'text' } = typeof field === 'string' ? { from: field } : field
        return [name, { name, from, as }]
      })
      return Object.fromEntries(named)
    })
    .optional()
    .describe(`Fields of ${content}, by name; left out: none.`)
    .meta({ examples: [{ level: 'Level' }] })
}

export const customFieldsSchema = section({
  agenda: fieldsOf('agenda'),
  speakers: fieldsOf('speakers'),
  attendees: fieldsOf('attendees'),
})
  .optional()
  .describe(
    'Fields of your own: name, and key of the record; the platform has them in custom; left out: none.',
  )
  .meta({ examples: [{ agenda: { level: 'Level' } }] })
