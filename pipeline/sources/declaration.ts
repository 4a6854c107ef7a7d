import { z } from 'zod'
import type { Resource } from '../../transforms/declare/resource.ts'
import { ReadError } from '../http/read-error.ts'
import {
  contradictionsInKeys,
  definitionKeys,
  functionSchema,
  mistakesIn,
  requireSoundDefinition,
} from '../settings/definition.ts'
import { must, section, text } from '../settings/values.ts'

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
  requireSoundDefinition('source', definitionSchema, definition, ({ name, resources, ...rest }) => [
    ...contradictionsInKeys('source', rest, standardKeysOf(resources)),
    ...resources
      .filter((one) => one.table !== `staging.${name}_${one.name}`)
      .map((one) => `resources.${one.name}: its table must be "${name}_${one.name}"`),
  ])
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

const resource = () => made<Resource>('table', 'must be made by `resource`')
const column = () => made('type', 'must be a column of its resource')

const definitionSchema = section({
  ...definitionKeys,
  resources: z.array(resource()).min(1, { error: 'must name at least one resource' }),
  contents: z
    .array(made('content', 'must be made by `content`'))
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
