import { z } from 'zod'
import { pick } from '../runtime/pick.ts'
import { isMapping } from '../settings/yaml.ts'
import { KEYS_WITHOUT_DEFAULT } from './defaults.ts'
import { configSchema } from './schema.ts'

export type JsonSchema = z.core.JSONSchema.JSONSchema

/**
 * Pattern of the type of a source or target that is not part of this package: a path or a package name. A
 * name must contain a dash or a slash, because a name without these is more likely a typing mistake.
 */
const OUTSIDE_TYPE = '^(\\.{1,2}/|/|[A-Za-z]:[\\\\/]|@?[a-z0-9][a-z0-9._]*[-/])'

/**
 * Adds to the schema of `source` or `platform` a form for types that are not part of this package. The own
 * keys of such a type are checked when its file is imported.
 *
 * @param keys keys that every type outside this package has
 */
function addOutside(schema: JsonSchema, what: 'source' | 'target', keys: readonly string[]): void {
  const type: JsonSchema = {
    type: 'string',
    pattern: OUTSIDE_TYPE,
    description: `A ${what} of your own: the path of its file, from the folder of this one, or its package.`,
    examples: [`./${what}s/example.ts`],
  }
  // Some types of this package have no address, so the keys come from the first type that has one.
  const withUrl = schema.oneOf?.find(({ properties }) => properties?.url !== undefined)
  const own = pick(withUrl?.properties ?? {}, ...keys)
  schema.oneOf?.push({ type: 'object', properties: { type, ...own }, required: ['type', 'url', 'eventId'] })
}

/**
 * Makes the JSON Schema of a configuration without `defaults`, in which every integration has all required
 * keys. The schema uses JSON Schema draft 7, which most editors support.
 */
export function jsonSchema(): JsonSchema {
  return z.toJSONSchema(configSchema, {
    io: 'input',
    target: 'draft-07',
    override({ zodSchema, jsonSchema: key }) {
      // zod treats examples as output values, and drops the examples of a schema that transforms values. The
      // examples of this product are input values.
      const examples = z.globalRegistry.get(zodSchema)?.examples
      if (Array.isArray(examples)) key.examples = examples
      const { source, platform } = configSchema.shape.integrations.element.shape
      if (zodSchema === source) addOutside(key, 'source', ['url', 'eventId', 'timeZone'])
      if (zodSchema === platform) addOutside(key, 'target', ['url', 'eventId'])
    },
  })
}

/**
 * Makes the JSON Schema of event-sync.yaml in all its forms. If the file has `defaults`, no key of an
 * integration is required, because the schema cannot know which keys have a default.
 */
export function fileSchema(): JsonSchema {
  const whole = jsonSchema()
  const integrations = pick(keyOf(whole, 'integrations'), 'description')
  return {
    ...whole,
    properties: { ...whole.properties, defaults: DEFAULTS, integrations },
    if: { required: ['defaults'], properties: { defaults: true } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { integrations: filesOr(INTEGRATION_WITH_DEFAULTS) } },
    else: { properties: { integrations: filesOr(INTEGRATION) } },
    definitions: definitionsOf(whole),
  }
}

/** Makes the JSON Schema of a file that `integrations` of event-sync.yaml names. */
export function integrationFileSchema(): JsonSchema {
  const whole = jsonSchema()
  return {
    ...pick(whole, '$schema'),
    title: 'A file with integrations',
    description: 'One integration, or a list of integrations, which event-sync.yaml names.',
    anyOf: [INTEGRATION_WITH_DEFAULTS, { type: 'array', minItems: 1, items: INTEGRATION_WITH_DEFAULTS }],
    definitions: definitionsOf(whole),
  }
}

/** Makes the schema of `integrations`: file names, or a list of file names and integrations. */
function filesOr(integration: JsonSchema): JsonSchema {
  const files: JsonSchema = {
    type: 'string',
    description: 'A file with integrations, or a glob of such files, from the folder of this file.',
    examples: ['./customers/*.yaml'],
  }
  return { anyOf: [files, { type: 'array', minItems: 1, items: { anyOf: [files, integration] } }] }
}

const INTEGRATION: JsonSchema = { $ref: '#/definitions/integration' }
const INTEGRATION_WITH_DEFAULTS: JsonSchema = { $ref: '#/definitions/integrationWithDefaults' }
const DEFAULTS: JsonSchema = { $ref: '#/definitions/defaults' }

/**
 * Makes the schemas to which the references above point.
 *
 * @param whole the schema of event-sync.yaml without `defaults`
 */
function definitionsOf(whole: JsonSchema): Record<string, JsonSchema> {
  const { items } = keyOf(whole, 'integrations')
  const integration = isSchema(items) ? items : {}
  const common = withoutRequired(integration, (value) => value)
  const switchable = withoutRequired(integration, orNull)
  const id = keyOf(integration, 'id')
  return {
    integration,
    integrationWithDefaults: {
      ...switchable,
      properties: { ...switchable.properties, id },
      required: ['id'],
    },
    defaults: {
      ...common,
      ...pick(keyOf(whole, 'defaults'), 'description', 'examples'),
      properties: Object.fromEntries(
        Object.entries(common.properties ?? {}).filter(([key]) => !KEYS_WITHOUT_DEFAULT.has(key)),
      ),
    },
  }
}

/**
 * Makes the keys of a mapping optional, at every level. Lists stay unchanged, because defaults replace a list
 * and are not merged into it.
 *
 * @param toKey makes the schema of a key from the schema of its value
 */
function withoutRequired(schema: JsonSchema, toKey: (value: JsonSchema) => JsonSchema): JsonSchema {
  const { required, oneOf, anyOf = oneOf, properties, additionalProperties, ...others } = schema
  const change = (value: SchemaOrFlag) => (isSchema(value) ? toKey(withoutRequired(value, toKey)) : value)
  const keys = Object.entries(properties ?? {}).map(([key, value]) => [key, change(value)] as const)
  // The form for types outside this package accepts any keys. If `type` were not required in this form, the
  // form would accept every mistake.
  const isOpen = properties !== undefined && additionalProperties === undefined
  return {
    ...others,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((form) => withoutRequired(form, toKey)) }),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(keys) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: change(additionalProperties) }),
    ...(isOpen ? { required: ['type'] } : {}),
  }
}

/**
 * Makes a schema accept null too, which switches a default off. A constant stays unchanged, because it tells
 * the forms of a mapping apart.
 */
function orNull(value: JsonSchema): JsonSchema {
  if (value.const !== undefined) return value
  return { ...pick(value, 'description'), anyOf: [value, { type: 'null' }] }
}

type SchemaOrFlag = JsonSchema | boolean

function isSchema(value: unknown): value is JsonSchema {
  return isMapping(value)
}

function keyOf({ properties = {} }: JsonSchema, key: string): JsonSchema {
  const value = properties[key]
  return isSchema(value) ? value : {}
}
