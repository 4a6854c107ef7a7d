import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { OUTPUTS, type PublishedName, publishedSchema } from '../../../pipeline/schemas/published.ts'

/** Strict mode reports an error if a keyword is unknown or does not fit its type. */
export const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  allErrors: true,
  formats: {
    date: /^\d{4}-\d{2}-\d{2}$/,
    'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$/,
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  },
})

const validators = new Map<PublishedName, ValidateFunction>()

/**
 * Checks a value by a published schema, of which every object is closed. So a key that the schema does not
 * name is a fault here, although the published schema accepts it.
 *
 * @returns the faults; empty if the value is as published
 */
export function faultsOf(name: PublishedName, value: unknown): readonly string[] {
  const validate = validators.get(name) ?? ajv.compile(closed(publishedSchema(name)) as object)
  validators.set(name, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${name}${instancePath}: ${message} ${JSON.stringify(params)}`,
  )
}

/** Closes each object of a schema that lists the keys of the object. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]))
  return 'properties' in schema && !('additionalProperties' in schema)
    ? { ...parts, additionalProperties: false }
    : parts
}

/** Names of the schemas by which `requirePublished` has checked an output in this process. */
export const checkedOutputs = new Set<string>()

/** @throws if a command printed with `--json` anything but what is published for it */
export function requirePublished(args: readonly string[], stdout: string): void {
  const command = args.find((arg) => arg in OUTPUTS) as keyof typeof OUTPUTS | undefined
  if (command === undefined || !args.includes('--json') || args.includes('--csv') || stdout === '') return
  const output: unknown = JSON.parse(stdout)
  const isError = Object.keys(Object(output)).join() === 'error'
  const faults = faultsOf(isError ? 'error' : command, output)
  if (faults.length > 0)
    throw new Error(`${args.join(' ')} printed another form than is published:\n${faults.join('\n')}`)
  if (!isError) checkedOutputs.add(command)
}
