import { z } from 'zod'
import type { TargetLimits } from '../../loaders/platform/limits.ts'
import { PlatformRefusalError } from '../../loaders/platform/target.ts'
import { CONTENTS, type Content } from '../../sql/tables.ts'
import { PLATFORM_FIELDS, REQUIRED_FIELDS } from '../../transforms/decide/platform-fields.ts'
import { oneOf, pathText, plainMessage } from '../settings/errors.ts'
import { must, section, text } from '../settings/values.ts'

/**
 * Checks the declaration of a target. A file that is not compiled by TypeScript can contain any keys and
 * values, and a misspelt limit would not be kept.
 *
 * @param standardKeys keys of `platform` that every target has
 * @throws Error with all mistakes, each with its key
 */
export function requireSound(definition: unknown, standardKeys: readonly string[]): void {
  const { data, error } = definitionSchema.safeParse(definition, { error: plainMessage })
  const mistakes =
    data === undefined ? error.issues.flatMap(mistakesOf) : contradictionsIn(data, standardKeys)
  if (mistakes.length === 0) return
  const name: unknown = Reflect.get(Object(definition), 'name')
  throw new Error(`target ${typeof name === 'string' ? name : 'without a name'}: ${mistakes.join('; ')}`)
}

/** Checks what the function `connect` of a target has returned. */
export function requireFunctions(title: string, functions: unknown): void {
  const missing = ['send', 'list', 'count'].filter(
    (name) => typeof Reflect.get(Object(functions), name) !== 'function',
  )
  if (missing.length === 0) return
  throw new PlatformRefusalError(
    `\`connect\` of ${title} did not return the function${missing.length === 1 ? '' : 's'} ${missing.join(', ')}; correct the file of the target`,
  )
}

const count = () => {
  const error = must('a whole number from 1')
  return z.int({ error }).min(1, { error })
}

const contentName = () => z.enum(CONTENTS)

/** Makes a schema of a mapping with a value for some contents. */
function byContent<Schema extends z.ZodType>(schemaOf: (content: Content) => Schema) {
  return section(Object.fromEntries(CONTENTS.map((content) => [content, schemaOf(content).optional()])))
}

const optionalFieldsOf = (content: Content) =>
  PLATFORM_FIELDS[content].filter((field) => !REQUIRED_FIELDS[content].includes(field))

const limits = {
  batchSize: count(),
  requestsPerMinute: count().optional(),
  uniqueFields: byContent((content) => z.array(z.enum(PLATFORM_FIELDS[content]))).optional(),
  longestTexts: byContent((content) =>
    section(Object.fromEntries(PLATFORM_FIELDS[content].map((field) => [field, count().optional()]))),
  ).optional(),
  removes: z.array(contentName()).optional(),
  missingFields: byContent((content) => z.array(z.enum([...optionalFieldsOf(content), 'custom']))).optional(),
} satisfies Record<keyof TargetLimits, z.ZodType>

const NAMES_OF_PACKAGE: ReadonlySet<string> = new Set(['http', 'jsonl'])

const ofName = must('2 to 20 of a-z and 0-9, and begin with a letter')
const isFunction = (value: unknown) => typeof value === 'function'
const isSchema = (value: unknown) => value instanceof z.core.$ZodType

const definitionSchema = section({
  name: z
    .string({ error: ofName })
    .regex(/^[a-z][a-z0-9]{1,19}$/, { error: ofName })
    .refine((name) => !NAMES_OF_PACKAGE.has(name), {
      error: 'event-content-sync has a target of this name itself; use another name',
    }),
  title: text(),
  contents: z.array(contentName()).min(1, { error: `must name at least one of ${oneOf(CONTENTS)}` }),
  limits: section(limits),
  takesPasswords: z.boolean().optional(),
  keys: z
    .record(z.string(), z.custom(isSchema, { error: 'must be a zod schema such as z.string()' }))
    .optional(),
  secrets: z.array(z.string()).optional(),
  connect: z.custom(isFunction, { error: 'must be a function' }),
})

type Definition = z.output<typeof definitionSchema>
type Issue = z.core.$ZodIssue

function mistakesOf({ path, message, ...issue }: Issue): readonly string[] {
  if (issue.code !== 'unrecognized_keys') {
    return [path.length === 0 ? message : `${pathText(path)}: ${message}`]
  }
  return message.split('\n').map((one, index) => `${pathText([...path, issue.keys[index] ?? ''])}: ${one}`)
}

/** Finds values that are sound one by one, but not together. */
function contradictionsIn(
  { contents, limits, keys = {}, secrets = [] }: Definition,
  standardKeys: readonly string[],
): readonly string[] {
  const { removes = [], uniqueFields = {}, longestTexts = {}, missingFields = {} } = limits
  const limited = { removes, ...keysOf({ uniqueFields, longestTexts, missingFields }) }
  return [
    ...standardKeys
      .filter((key) => key in keys)
      .map((key) => `keys.${key}: every target has this key; give yours another name`),
    ...secrets.filter((key) => !(key in keys)).map((key) => `secrets: ${key} is not one of its keys`),
    ...Object.entries(limited).flatMap(([limit, named]) =>
      named
        .filter((content) => !contents.some((one) => one === content))
        .map((content) => `limits.${limit}: ${content} is not one of its contents`),
    ),
  ]
}

const keysOf = (mappings: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(mappings).map(([name, mapping]) => [name, Object.keys(mapping)]))
