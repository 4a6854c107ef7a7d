import { z } from 'zod'
import { SQL_TYPES } from '../../transforms/declare/column.ts'
import type { DeclaredContent } from '../../transforms/declare/content.ts'
import {
  COLUMN_OF_RESOURCE,
  type ColumnOf,
  isColumn,
  type Resource,
} from '../../transforms/declare/resource.ts'
import { ReadError } from '../http/read-error.ts'
import {
  contradictionsInKeys,
  definitionKeys,
  functionSchema,
  mistakesIn,
  requireSoundDefinition,
} from '../settings/definition.ts'
import { must, section, text } from '../settings/values.ts'
import { mistakesInColumns } from './column-names.ts'

/**
 * Checks the definition of a source.
 *
 * @param standardKeysOf returns the keys of `source` that the product adds for these resources
 * @throws Error with all mistakes, each with its key
 */
export function requireSound(
  definition: unknown,
  standardKeysOf: (resources: readonly Resource[]) => readonly string[],
): void {
  requireSoundDefinition('source', definitionSchema, definition, ({ name, resources, contents, ...rest }) => [
    ...contradictionsInKeys('source', rest, standardKeysOf(resources)),
    ...resources.flatMap((one) =>
      mistakesIn(resourceSchema, one, ({ columns }) => mistakesInColumns(Object.keys(columns))).map(
        (mistake) => `resources.${one.name}.${mistake}`,
      ),
    ),
    ...resources
      .filter((one) => one.table !== `staging.${name}_${one.name}`)
      .map((one) => `resources.${one.name}: its table must be "${name}_${one.name}"`),
    ...namedTwice(
      'resources',
      resources.map((one) => one.name),
    ),
    ...namedTwice(
      'contents',
      contents.map(({ content }) => content),
    ),
  ])
}

function namedTwice(key: string, names: readonly string[]): readonly string[] {
  const twice = new Set(names.filter((name, index) => names.indexOf(name) < index))
  return [...twice].map((name) => `${key}: two have the name ${name}`)
}

/** Checks what the function `connect` of a source has returned. @throws ReadError with all mistakes */
export function requireReader(title: string, reader: unknown): void {
  const mistakes = mistakesIn(readerSchema, reader)
  if (mistakes.length === 0) return
  throw new ReadError(
    `\`connect\` of ${title} returned a reader that cannot be used: ${mistakes.join('; ')}`,
    {
      hint: 'correct the file of the source',
    },
  )
}

/** Makes the schema of a value that a function of `event-content-sync/source` makes, which has the given key. */
function made<Value extends object>(key: string, error: string) {
  return z.custom<Value>((value) => typeof Reflect.get(Object(value), key) === 'string', { error })
}

export const resource = () => made<Resource>('table', 'must be made by `resource`')
export const column = () => z.custom<ColumnOf>(isColumn, { error: `must be ${COLUMN_OF_RESOURCE}` })

const columnSchema = section({
  type: z.enum(Object.keys(SQL_TYPES)),
  isNullable: z.boolean(),
  keys: z.array(z.custom(isKey, { error: 'must be a key, or made by `option`' })),
  rule: functionSchema(),
  shown: z.array(z.string()).optional(),
  oneOf: z.array(z.string()).nullable(),
  meaning: z.string(),
  isPlain: z.boolean(),
  table: z.string(),
  name: z.string(),
} satisfies Record<Exclude<keyof ColumnOf, 'is'>, z.ZodType>)

function isKey(value: unknown): boolean {
  return typeof (typeof value === 'string' ? value : Reflect.get(Object(value), 'option')) === 'string'
}

const ofResource = must('1 to 30 of a-z, 0-9 and _, and begin with a letter')

const resourceSchema = section({
  name: z.string({ error: ofResource }).regex(/^[a-z][a-z0-9_]{0,29}$/, { error: ofResource }),
  table: z.string(),
  id: columnSchema,
  columns: z.record(z.string(), columnSchema),
  keys: section({ changedAt: text().optional(), keyOf: functionSchema(), prepare: functionSchema() }),
} satisfies Record<keyof Resource, z.ZodType>)

const definitionSchema = section({
  ...definitionKeys,
  resources: z.array(resource()).min(1, { error: 'must name at least one resource' }),
  contents: z
    .array(made<DeclaredContent<never>>('content', 'must be made by `content`'))
    .min(1, { error: 'must name at least one content' }),
  people: section({
    records: resource(),
    address: column().nullable(),
    ownId: column().optional(),
    keys: functionSchema().optional(),
  }),
  fillIn: text(),
})

const positive = must('a number above 0')
const readerSchema = section({
  within: z.instanceof(URL, { error: 'must be a URL' }),
  readToEnd: functionSchema(),
  listOf: functionSchema().optional(),
  notes: functionSchema().optional(),
  requestCost: z.number({ error: positive }).positive({ error: positive }).optional(),
  authorization: functionSchema().optional(),
  renewAuthorization: functionSchema().optional(),
})
