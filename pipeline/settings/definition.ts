import { z } from 'zod'
import { pathText, plainMessage } from './errors.ts'
import { must, section, text } from './values.ts'

/**
 * Checks the definition of a source or target outside this package. A file that is not compiled by TypeScript
 * can contain any keys and values, and a misspelt key would have no effect.
 *
 * @param contradictionsIn finds values that are sound one by one, but not together
 * @throws Error with all mistakes, each with its key
 */
export function requireSoundDefinition<Definition>(
  kind: 'source' | 'target',
  schema: z.ZodType<Definition>,
  definition: unknown,
  contradictionsIn: (definition: Definition) => readonly string[],
): void {
  const mistakes = mistakesIn(schema, definition, contradictionsIn)
  if (mistakes.length === 0) return
  const name: unknown = Reflect.get(Object(definition), 'name')
  throw new Error(`${kind} ${typeof name === 'string' ? name : 'without a name'}: ${mistakes.join('; ')}`)
}

/** Returns the mistakes in a value, each with its key; if there are none, the contradictions in the value. */
export function mistakesIn<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  contradictionsIn: (value: Value) => readonly string[] = () => [],
): readonly string[] {
  const read = schema.safeParse(value, { error: plainMessage })
  return read.success ? contradictionsIn(read.data) : read.error.issues.flatMap(mistakesOf)
}

function mistakesOf({ path, message, ...issue }: z.core.$ZodIssue): readonly string[] {
  if (issue.code !== 'unrecognized_keys') {
    return [path.length === 0 ? message : `${pathText(path)}: ${message}`]
  }
  return message.split('\n').map((one, index) => `${pathText([...path, issue.keys[index] ?? ''])}: ${one}`)
}

const ofName = must('2 to 20 of a-z and 0-9, and begin with a letter')

/** Makes the schema of a function. */
export const functionSchema = () =>
  z.custom((value) => typeof value === 'function', { error: 'must be a function' })

/**
 * Makes a schema that rejects keys other than the given ones, and accepts every value of these keys. Without it,
 * a misspelt option would have no effect.
 */
export function keysOnly(keys: readonly string[]) {
  return section(Object.fromEntries(keys.map((key) => [key, z.unknown().optional()])))
}

/** Schemas of the keys that the definitions of sources and targets share. */
export const definitionKeys = {
  name: z.string({ error: ofName }).regex(/^[a-z][a-z0-9]{1,19}$/, { error: ofName }),
  title: text(),
  keys: z
    .record(
      z.string(),
      z.custom((value) => value instanceof z.core.$ZodType, {
        error: 'must be a zod schema such as z.string()',
      }),
    )
    .optional(),
  secrets: z.array(z.string()).optional(),
  connect: functionSchema(),
}

/** Finds keys that every source or target has, and secrets that are not among the keys. */
export function contradictionsInKeys(
  kind: 'source' | 'target',
  {
    keys = {},
    secrets = [],
  }: { readonly keys?: object | undefined; readonly secrets?: readonly string[] | undefined },
  standardKeys: readonly string[],
): readonly string[] {
  return [
    ...standardKeys
      .filter((key) => key in keys)
      .map((key) => `keys.${key}: every ${kind} has this key; give yours another name`),
    ...secrets.filter((key) => !(key in keys)).map((key) => `secrets: ${key} is not one of its keys`),
  ]
}
