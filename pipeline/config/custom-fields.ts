import { z } from 'zod'
import type { Content, CustomField } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../../transforms/registry/platform-fields.ts'
import { quoted } from '../settings/messages.ts'
import { section, text } from '../settings/values.ts'

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
