/**
 * What a Data Package descriptor of CSV files must be, in JSON Schema: of the rules of Data Package, Data Resource,
 * Tabular Data Resource, CSV Dialect and Table Schema (Frictionless, v1, which v2 readers take too) those that concern
 * what is written here. Keys that none of them knows are refused, so that no misspelt one passes.
 */
const text = { type: 'string', minLength: 1 } as const
const size = { type: 'integer', minimum: 0 } as const

const field = {
  type: 'object',
  required: ['name', 'type'],
  properties: {
    name: text,
    type: {
      enum: [
        ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'date', 'time', 'datetime', 'year'],
        ...['yearmonth', 'duration', 'geopoint', 'geojson', 'any'],
      ],
    },
    title: text,
    description: text,
    constraints: { type: 'object' },
  },
  additionalProperties: false,
} as const

const dialect = {
  type: 'object',
  properties: {
    delimiter: { type: 'string', minLength: 1 },
    lineTerminator: { type: 'string', minLength: 1 },
    quoteChar: { type: 'string', minLength: 1, maxLength: 1 },
    doubleQuote: { type: 'boolean' },
    header: { type: 'boolean' },
  },
  additionalProperties: false,
} as const

const tableSchema = {
  type: 'object',
  required: ['fields'],
  properties: {
    fields: { type: 'array', minItems: 1, items: field },
    missingValues: { type: 'array', items: { type: 'string' } },
    primaryKey: { type: 'array', minItems: 1, uniqueItems: true, items: text },
  },
  additionalProperties: false,
} as const

const resource = {
  type: 'object',
  required: ['name', 'path', 'profile', 'schema'],
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9._-]+$' },
    // Relative, and not out of the folder.
    path: { type: 'string', pattern: '^(?![./~])(?!.*\\.\\.)[^\\\\:]+$' },
    profile: { const: 'tabular-data-resource' },
    title: text,
    description: text,
    format: text,
    mediatype: { type: 'string', pattern: '^[a-z]+/.+$' },
    encoding: text,
    bytes: size,
    hash: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
    dialect,
    schema: tableSchema,
  },
  additionalProperties: false,
} as const

export const dataPackageSchema = {
  type: 'object',
  required: ['resources'],
  properties: {
    profile: { const: 'tabular-data-package' },
    name: { type: 'string', pattern: '^[a-z0-9._-]+$' },
    title: text,
    description: text,
    resources: { type: 'array', minItems: 1, items: resource },
  },
  additionalProperties: false,
} as const
