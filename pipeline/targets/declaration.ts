import { z } from 'zod'
import type { TargetLimits } from '../../loaders/platform/limits.ts'
import { PlatformRefusalError } from '../../loaders/platform/target.ts'
import { CONTENTS, type Content } from '../../sql/tables.ts'
import { PLATFORM_FIELDS, REQUIRED_FIELDS } from '../../transforms/decide/platform-fields.ts'
import { contradictionsInKeys, definitionKeys, requireSoundDefinition } from '../settings/definition.ts'
import { oneOf } from '../settings/errors.ts'
import { must, section } from '../settings/values.ts'

/**
 * Checks the definition of a target.
 *
 * @param standardKeys keys of `platform` that every target has
 * @throws Error with all mistakes, each with its key
 */
export function requireSound(definition: unknown, standardKeys: readonly string[]): void {
  requireSoundDefinition('target', definitionSchema, definition, (sound) => [
    ...contradictionsInKeys('target', sound, standardKeys),
    ...contradictionsIn(sound),
  ])
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

const definitionSchema = section({
  ...definitionKeys,
  name: definitionKeys.name.refine((name) => !NAMES_OF_PACKAGE.has(name), {
    error: 'event-content-sync has a target of this name itself; use another name',
  }),
  contents: z.array(contentName()).min(1, { error: `must name at least one of ${oneOf(CONTENTS)}` }),
  limits: section(limits),
  takesPasswords: z.boolean().optional(),
})

type Definition = z.output<typeof definitionSchema>

/** Finds limits of contents that the target does not take. */
function contradictionsIn({ contents, limits }: Definition): readonly string[] {
  const { removes = [], uniqueFields = {}, longestTexts = {}, missingFields = {} } = limits
  const limited = { removes, ...keysOf({ uniqueFields, longestTexts, missingFields }) }
  return Object.entries(limited).flatMap(([limit, named]) =>
    named
      .filter((content) => !contents.some((one) => one === content))
      .map((content) => `limits.${limit}: ${content} is not one of its contents`),
  )
}

const keysOf = (mappings: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(mappings).map(([name, mapping]) => [name, Object.keys(mapping)]))
